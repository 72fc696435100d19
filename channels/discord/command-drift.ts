// Whether Discord has the commands that we want: its answer, which has more fields and leaves defaults out, against ours.
import type { CommandBody } from "./commands.ts";

type Json = Readonly<Record<string, unknown>>;

/** What Discord shows as absent or null when it has its default. */
const defaults: Json = {
  type: 1,
  required: false,
  autocomplete: false,
  options: [],
  choices: [],
  default_member_permissions: null,
  description_localizations: null,
};

/** @param current as `GET …/commands` answers, with `with_localizations`. */
export function isRegistered(wanted: readonly CommandBody[], current: readonly unknown[]): boolean {
  if (wanted.length !== current.length) return false;
  return wanted.every((command) => {
    const found = current.find((one) => isObject(one) && one["name"] === command.name);
    return found !== undefined && covers(JSON.parse(JSON.stringify(command)) as Json, found);
  });
}

/** Everything that we want is there; what else Discord tells (ids, versions) does not matter. Lists must agree in length and order. */
function covers(wanted: unknown, found: unknown): boolean {
  if (Array.isArray(wanted)) {
    const list = Array.isArray(found) ? (found as readonly unknown[]) : [];
    return wanted.length === list.length && wanted.every((one, index) => covers(one, list[index]));
  }
  if (isObject(wanted)) {
    if (!isObject(found)) return false;
    return Object.entries(wanted).every(([key, value]) => covers(value, found[key] ?? defaults[key] ?? null));
  }
  return wanted === found;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
