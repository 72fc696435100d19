// The fake's commands about changelists: describe, changes, counter.
import { createHash } from "node:crypto";
import { type FakeChange, type FakeDepot, type FakeFile, isDeleted, stored } from "./depot.ts";
import { matches, readFileSpec } from "./file-spec.ts";
import { readFlags, required } from "./flags.ts";
import { failure, isMessage, type Line, Violation, warning } from "./output.ts";

const RESTRICTED = "<description: restricted, no permission to view>\n";

export function describe(depot: FakeDepot, args: readonly string[]): readonly Line[] {
  const flags = readFlags(args, { "-s": false, "-S": false, "-O": false });
  required(flags, "-s");
  if (flags.rest.length === 0) throw new Violation("describe without a number");
  return flags.rest.map((text): Line => {
    if (!/^\d+$/.test(text)) return failure(`Invalid changelist number '${text}'.`, 1);
    const change = depot.changes.find((one) => (flags.set.has("-O") ? one.oldChange === text : one.change === text));
    if (change === undefined) return warning(`${text} - no such changelist.`);
    if (depot.server?.tooLarge) return tooLarge();
    const shows = change.status === "submitted" ? !flags.set.has("-S") : flags.set.has("-S");
    const record: Record<string, string> = {
      ...header(change),
      ...(change.oldChange !== undefined && { oldChange: change.oldChange }),
      ...(change.status === "pending" && flags.set.has("-S") && { shelved: "" }),
      desc: description(change),
    };
    for (const [index, file] of (shows ? change.files : []).filter(({ obliterated }) => !obliterated).entries()) {
      Object.assign(record, {
        [`depotFile${index}`]: file.path,
        [`action${index}`]: file.action,
        [`type${index}`]: file.type,
        [`rev${index}`]: change.status === "pending" && /add$/.test(file.action) ? "none" : file.rev,
        ...(!isDeleted(file) && {
          [`fileSize${index}`]: sizeOf(file),
          [`digest${index}`]: digestOf(file),
        }),
      });
    }
    return record;
  });
}

export function changes(depot: FakeDepot, args: readonly string[]): readonly Line[] {
  const flags = readFlags(args, { "-l": false, "-s": true, "-m": true, "-e": true });
  const spec = readFileSpec(flags.rest[0] ?? "");
  if (isMessage(spec)) return [spec];
  if (flags.rest.length !== 1) throw new Violation("changes takes one path here");
  if (depot.server?.tooLarge) return [tooLarge()];
  const status = flags.set.get("-s");
  const from = Number(flags.set.get("-e") ?? 0);
  const found = depot.changes
    .filter((change) => status === undefined || change.status === status)
    .filter((change) => change.files.some((file) => !file.obliterated && matches(spec.path, file.path)))
    .filter(({ change }) => {
      const number = Number(change);
      if (number < from) return false;
      if (spec.at.kind === "asOf") return number <= spec.at.change;
      return spec.at.kind === "range" ? number >= spec.at.first && number <= spec.at.last : spec.at.kind === "head";
    })
    .sort((a, b) => Number(b.change) - Number(a.change));
  return found.slice(0, Number(flags.set.get("-m") ?? found.length)).map((change) => ({
    ...header(change),
    // Without -l a description is cut to 31 characters; what stands in for a restricted one is not.
    desc: flags.set.has("-l") || change.changeType === "restricted" ? description(change) : change.desc.slice(0, 31),
  }));
}

export function lastOf(depot: FakeDepot, name: string): string {
  const all = depot.changes.filter(({ status }) => name === "change" || status === "submitted");
  if (name !== "change" && name !== "maxCommitChange") throw new Violation(`unknown counter ${name}`);
  const highest = Math.max(0, ...all.map(({ change }) => Number(change)));
  return String(name === "change" ? highest : (depot.server?.maxCommitChange ?? highest));
}

export function tooLarge(): Line {
  return failure("Request too large (over 1000); see 'p4 help maxresults'.", 35);
}

export function sizeOf(file: FakeFile): string {
  return file.fileSize ?? String(stored(file).length);
}

export function digestOf(file: FakeFile): string {
  return file.digest ?? createHash("md5").update(stored(file)).digest("hex").toUpperCase();
}

function description(change: FakeChange): string {
  return change.changeType === "restricted" ? RESTRICTED : change.desc;
}

function header(change: FakeChange): Record<string, string> {
  const [first = ""] = change.files.map(({ path }) => path);
  return {
    change: change.change,
    user: change.user,
    client: change.client,
    time: String(change.time),
    status: change.status,
    changeType: change.changeType ?? "public",
    path: change.path ?? (change.files.length === 1 ? first : `${first.slice(0, first.lastIndexOf("/"))}/*`),
  };
}
