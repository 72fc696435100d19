// Installs the fake as an executable `p4` in a folder of its own, for tests to put on a PATH.
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { temporaryDirectory } from "../git-repository.ts";
import type { FakeDepot } from "./depot.ts";

export interface FakeP4 {
  /** PATH with the fake in front. */
  readonly path: string;
  /** A fresh folder for the adapter's files. */
  readonly cacheDir: string;
  /** Serves another depot from now on. */
  serve(depot: FakeDepot): void;
  /** Every command so far, arguments parted by tabs; `LOGIN` and `VIOLATION …` stand for themselves. */
  commands(): readonly string[];
  forget(): void;
  remove(): void;
}

export function installFakeP4(depot: FakeDepot): FakeP4 {
  const folder = temporaryDirectory("aicr-p4-");
  const [script, depotFile, log] = ["p4.mjs", "depot.json", "log"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  buildSync({
    entryPoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  const program = join(folder.path, "p4");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${script}' '${depotFile}' '${log}' "$@"\n`);
  chmodSync(program, 0o755);
  // In one step, because a server under test may be reading it.
  const serve = (next: FakeDepot): void => {
    writeFileSync(`${depotFile}.next`, JSON.stringify(next));
    renameSync(`${depotFile}.next`, depotFile);
  };
  serve(depot);
  return {
    path: `${folder.path}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    cacheDir: join(folder.path, "cache"),
    serve,
    commands: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    forget: () => rmSync(log, { force: true }),
    remove: folder.remove,
  };
}
