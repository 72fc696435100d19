// Random copies, moves, deletions and edits, several in one revision: nothing that is new goes unlisted, nothing else is made up.
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { applied } from "../../../contract/vcs-truth.ts";
import { createSvnRepository, type SvnAction, type SvnRepository } from "../../../fakes/svn-repository.ts";
import { describeWithPeer } from "../../../peers.ts";
import { cleanUp, later, openSvn } from "./support.ts";

afterAll(cleanUp);

/** Path → content; folders are null. */
type Model = ReadonlyMap<string, string | null>;

const NAMES = ["a", "b", "c@1", "x y"];

const START: Model = new Map([
  ["a", null],
  ["a/b", null],
  ["a/b/x y", "one\n"],
  ["a/c@1", "two\n"],
  ["b", null],
  ["b/a", "three\n"],
]);

interface Operation {
  readonly verb: "put" | "mkdir" | "rm" | "cp" | "mv";
  /** Positions in what there is to choose from at that moment. */
  readonly from: number;
  readonly to: number;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  verb: fc.constantFrom("put", "put", "put", "mkdir", "rm", "cp", "cp", "mv", "mv"),
  from: fc.nat(999),
  to: fc.nat(999),
});
const histories = fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), { minLength: 12, maxLength: 12 });

const below = (model: Model, path: string): readonly string[] =>
  [...model.keys()].filter((one) => one === path || one.startsWith(`${path}/`));

/** New paths that a folder of the model could take. */
function freePaths(model: Model): readonly string[] {
  const folders = ["", ...[...model].filter(([, content]) => content === null).map(([path]) => path)];
  const paths = folders.flatMap((folder) => NAMES.map((name) => (folder === "" ? name : `${folder}/${name}`)));
  return paths.filter((path) => !model.has(path) && path.split("/").length < 4);
}

function pick(choices: readonly string[], index: number): string | undefined {
  return choices[index % Math.max(1, choices.length)];
}

/** The actions that can be done one after another, and what they leave. A source is always that of the revision before. */
function plan(base: Model, operations: readonly Operation[], unique: () => string) {
  const model = new Map(base);
  const actions: SvnAction[] = [];
  const isPut = (path: string): boolean => actions.some((action) => action[0] === "put" && action[1] === path);
  for (const { verb, from, to } of operations) {
    const free = pick(freePaths(model), to);
    const files = [...model].filter(([path, content]) => content !== null && !isPut(path)).map(([path]) => path);
    const edited = pick(from % 3 === 0 ? freePaths(model) : files, to);
    const gone = pick([...model.keys()], from);
    const source = pick([...base.keys()], from);
    if (verb === "put" && edited !== undefined && !isPut(edited)) {
      model.set(edited, `${model.get(edited) ?? ""}${unique()}\n`);
      actions.push(["put", edited, model.get(edited) as string]);
    } else if (verb === "mkdir" && free !== undefined) {
      model.set(free, null);
      actions.push(["mkdir", free]);
    } else if (verb === "rm" && gone !== undefined) {
      for (const path of below(model, gone)) model.delete(path);
      actions.push(["rm", gone]);
    } else if ((verb === "cp" || verb === "mv") && free !== undefined && source !== undefined) {
      if (free.startsWith(`${source}/`) || (verb === "mv" && !model.has(source))) continue;
      for (const path of below(base, source)) model.set(`${free}${path.slice(source.length)}`, base.get(path) ?? null);
      actions.push(verb === "cp" ? ["cp", "HEAD", source, free] : ["mv", source, free]);
      if (verb === "mv") for (const path of below(model, source)) model.delete(path);
    }
  }
  return { actions, model };
}

/** False for the few combinations that svnmucc cannot express; then there is no revision. */
function tryCommit(repo: SvnRepository, actions: readonly SvnAction[]): boolean {
  try {
    repo.commit(actions);
    return true;
  } catch {
    return false;
  }
}

describeWithPeer("svn", "random histories", () => {
  it("property: every new content is listed and shown exactly; what is listed is true", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (rounds) => {
        const repo = createSvnRepository();
        later(repo.remove);
        const { vcs } = openSvn(repo.url);
        let count = 0;
        const models: Model[] = [new Map(), START];
        repo.commit([...START].map(([path, content]) => (content === null ? ["mkdir", path] : ["put", path, content])));
        for (const operations of rounds) {
          const base = models.at(-1) as Model;
          const { actions, model } = plan(base, operations, () => `unique line ${count++}`);
          if (actions.length === 0) continue;
          if (!tryCommit(repo, actions)) continue;
          models.push(model);
          await check(`r${models.length - 1}`, base, model);
        }
        const newest = models.length - 1;
        if (newest > 3) await check(`r${newest - 3}:r${newest}`, models[newest - 3] as Model, models[newest] as Model);

        async function check(spec: string, base: Model, model: Model): Promise<void> {
          const change = await vcs.resolve({ spec });
          const { files } = await vcs.listChanges(change);
          const { diff, omitted } = await vcs.diff(change, files);
          expect(omitted).toEqual([]);
          for (const { kind, path, oldPath } of files) {
            const [old, fresh] = [base.get(oldPath ?? path), model.get(path)];
            expect([spec, kind, path, typeof old]).toEqual([spec, kind, path, kind === "add" ? typeof old : "string"]);
            expect([spec, kind, path, typeof fresh]).toEqual([
              spec,
              kind,
              path,
              kind === "delete" ? typeof fresh : "string",
            ]);
            const shown = diff.files.find(
              (file) => (file.newPath ?? file.oldPath) === Buffer.from(path).toString("latin1"),
            );
            if (shown === undefined) throw new Error(`${path} has no diff`);
            const before = Buffer.from(kind === "add" ? "" : (old ?? ""));
            const after = kind === "delete" ? "" : fresh;
            expect([path, applied(diff, shown, before).toString()]).toEqual([path, after]);
          }
          const known = new Set(base.values());
          const listed = new Set(files.map(({ path }) => path));
          for (const [path, content] of model) {
            if (content !== null && !known.has(content))
              expect([spec, path, listed.has(path)]).toEqual([spec, path, true]);
            // An edit in place is never hidden by a copy.
            const old = base.get(path);
            const isEdit = typeof old === "string" && content !== null && old !== content;
            if (isEdit) expect([spec, path, listed.has(path)]).toEqual([spec, path, true]);
          }
          // What is gone, and lives on nowhere else, is said to be gone.
          const living = new Set(model.values());
          for (const [path, content] of base) {
            if (content === null || model.has(path) || living.has(content)) continue;
            const isTold = files.some((file) => (file.oldPath ?? file.path) === path);
            expect([spec, path, isTold]).toEqual([spec, path, true]);
          }
        }
      }),
      { numRuns: 2, seed: 99 },
    );
  }, 120_000);
});
