// The fake's commands about files: print, sizes, files, filelog, annotate.
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { digestOf, sizeOf, tooLarge } from "./changelist-commands.ts";
import { type FakeDepot, histories, isDeleted, printed, type Revision, stored } from "./depot.ts";
import { readFileSpec, select, selectContent } from "./file-spec.ts";
import { readFlags, required } from "./flags.ts";
import { isMessage, type Line, Violation } from "./output.ts";

/** Writes into files only: through -Mj content would be damaged. */
export function print(depot: FakeDepot, args: readonly string[]): readonly Line[] {
  const flags = readFlags(args, { "-q": false, "-K": false, "-o": true });
  required(flags, "-q", "-K", "-o");
  return flags.rest.flatMap((text): readonly Line[] => {
    const spec = readFileSpec(text);
    if (isMessage(spec)) return [spec];
    const found = selectContent(depot, spec);
    if (isMessage(found)) return [found];
    const target = flags.set.get("-o") ?? "";
    for (const { file } of found) {
      if (file.type.startsWith("symlink")) symlinkSync(stored(file).toString().replace(/\n$/, ""), target);
      else writeFileSync(target, printed(file), { flag: "wx" });
      if (!file.type.startsWith("symlink")) chmodSync(target, 0o444);
    }
    return [];
  });
}

export function sizes(depot: FakeDepot, args: readonly string[]): readonly Line[] {
  return readFlags(args, {}).rest.flatMap((text): readonly Line[] => {
    const spec = readFileSpec(text);
    if (isMessage(spec)) return [spec];
    const found = selectContent(depot, spec);
    if (isMessage(found)) return [found];
    return found.map(({ file }) => ({ depotFile: file.path, rev: file.rev, fileSize: sizeOf(file) }));
  });
}

export function files(depot: FakeDepot, args: readonly string[]): readonly Line[] {
  const flags = readFlags(args, { "-e": false, "-m": true });
  required(flags, "-e", "-m");
  const spec = readFileSpec(flags.rest[0] ?? "");
  if (isMessage(spec)) return [spec];
  const found = selectContent(depot, spec);
  if (isMessage(found)) return [found];
  return found.slice(0, Number(flags.set.get("-m"))).map(({ file, change }) => ({
    depotFile: file.path,
    rev: file.rev,
    change: change.change,
    action: file.action,
    type: file.type,
    time: String(change.time),
  }));
}

export function filelog(depot: FakeDepot, args: readonly string[]): readonly Line[] {
  const flags = readFlags(args, { "-m": true });
  const most = Number(flags.set.get("-m") ?? Number.POSITIVE_INFINITY);
  if (depot.server?.tooLarge) return [tooLarge()];
  return flags.rest.flatMap((text): readonly Line[] => {
    const spec = readFileSpec(text);
    if (isMessage(spec)) return [spec];
    const found = select(depot, spec);
    if (isMessage(found)) return [found];
    return found.flatMap((top) => {
      const shown = upTo(depot, top).slice(-most).reverse();
      const source = shown.find(({ file }) => file.from !== undefined);
      const older = source?.file.from === undefined ? undefined : histories(depot).get(source.file.from);
      const before = older?.filter(({ change }) => Number(change.change) < Number(source?.change.change));
      // The history goes on under the name that the file was moved from.
      return [
        logOf(top.file.path, shown),
        ...(before?.length ? [logOf(source?.file.from ?? "", before.reverse())] : []),
      ];
    });
  });
}

function upTo(depot: FakeDepot, { file }: Revision): readonly Revision[] {
  return (histories(depot).get(file.path) ?? []).filter((one) => Number(one.file.rev) <= Number(file.rev));
}

function logOf(path: string, revisions: readonly Revision[]): Line {
  const record: Record<string, string> = { depotFile: path };
  for (const [index, { file, change }] of revisions.entries()) {
    Object.assign(record, {
      [`rev${index}`]: file.rev,
      [`change${index}`]: change.change,
      [`action${index}`]: file.action,
      [`type${index}`]: file.type,
      [`time${index}`]: String(change.time),
      [`user${index}`]: change.user,
      [`client${index}`]: change.client,
      [`desc${index}`]: change.desc.slice(0, 31),
      ...(!isDeleted(file) && { [`fileSize${index}`]: sizeOf(file), [`digest${index}`]: digestOf(file) }),
      ...(file.from !== undefined && {
        [`how${index},0`]: "moved from",
        [`file${index},0`]: file.from,
        [`srev${index},0`]: "#none",
        [`erev${index},0`]: "#1",
      }),
    });
  }
  return record;
}

export function annotate(depot: FakeDepot, args: readonly string[]): readonly Line[] {
  const flags = readFlags(args, { "-c": false, "-u": false, "-I": false });
  required(flags, "-c", "-u");
  const [text = "", ...more] = flags.rest;
  if (more.length > 0) throw new Violation("annotate takes one file here");
  const spec = readFileSpec(text);
  if (isMessage(spec)) return [spec];
  if (depot.server?.tooLarge) return [tooLarge()];
  const found = selectContent(depot, spec);
  if (isMessage(found)) return [found];
  return found.flatMap((top): readonly Line[] => {
    const { file, change } = top;
    const head: Line = {
      depotFile: file.path,
      rev: file.rev,
      change: change.change,
      action: file.action,
      type: file.type,
      time: String(change.time),
    };
    if (/^(?:binary|apple|resource)/.test(file.type)) return [head];
    return [head, ...linesOf(depot, top)];
  });
}

function linesOf(depot: FakeDepot, top: Revision): readonly Line[] {
  const origins = top.file.lines ?? blame(upTo(depot, top));
  return split(top).map((data, index) => {
    const lower = origins[index] ?? top.change.change;
    const by = depot.changes.find(({ change }) => change === lower) ?? top.change;
    return { upper: top.change.change, lower, user: by.user, client: by.client, time: String(by.time), data };
  });
}

function split({ file }: Revision): readonly string[] {
  return (
    stored(file)
      .toString()
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  );
}

/** The change of each line of the last revision: a line that was there before keeps its own, searched in order. */
function blame(revisions: readonly Revision[]): readonly string[] {
  let lines: readonly { readonly text: string; readonly change: string }[] = [];
  for (const revision of revisions) {
    let at = 0;
    const before = lines;
    lines = split(revision).map((text) => {
      const found = before.findIndex((line, index) => index >= at && line.text === text);
      if (found < 0) return { text, change: revision.change.change };
      at = found + 1;
      return before[found] as { text: string; change: string };
    });
  }
  return lines.map(({ change }) => change);
}
