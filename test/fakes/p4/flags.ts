// Reads a command's flags strictly: those listed and no others, values where they belong.
import { Violation } from "./output.ts";

export interface Flags {
  readonly set: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
}

/** @param known flag → whether a value follows. */
export function readFlags(args: readonly string[], known: Readonly<Record<string, boolean>>): Flags {
  const set = new Map<string, string>();
  let at = 0;
  for (; at < args.length && args[at]?.startsWith("-"); at++) {
    const flag = args[at] ?? "";
    const takesValue = known[flag];
    if (takesValue === undefined) throw new Violation(`unknown flag ${flag}`);
    if (set.has(flag)) throw new Violation(`flag ${flag} twice`);
    set.set(flag, takesValue ? (args[++at] ?? "") : "");
  }
  return { set, rest: args.slice(at) };
}

export function required(flags: Flags, ...names: readonly string[]): void {
  for (const name of names) if (!flags.set.has(name)) throw new Violation(`the flag ${name} is missing`);
}
