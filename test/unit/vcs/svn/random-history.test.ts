// Random copies, moves, deletions and edits, several in one revision: nothing that is new goes unlisted, nothing else is made up.
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { applied } from "../../../contract/vcs-truth.ts";
import { createSvnRepository, type SvnAction } from "../../../fakes/svn-repository.ts";
import { describeWithPeer } from "../../../peers.ts";
import { cleanUp, later, openSvn } from "./support.ts";

afterAll(cleanUp);

/** Path → content; folders are null. */
type Model = ReadonlyMap<string, string | null>;

const NAMES = ["a", "b", "c@1"];
const PATHS = NAMES.flatMap((one) => [one, ...NAMES.flatMap((two) => [`${one}/${two}`, `${one}/${two}/x y`])]);

const operation = fc.record({
  verb: fc.constantFrom("put", "put", "mkdir", "rm", "cp", "mv"),
  from: fc.constantFrom(...PATHS),
  to: fc.constantFrom(...PATHS),
});
const histories = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 12, maxLength: 12 });

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const below = (model: Model, path: string): readonly string[] =>
  [...model.keys()].filter((one) => one === path || one.startsWith(`${path}/`));

/** The actions that can be done one after another, and what they leave. A source is always that of the revision before. */
function plan(
  base: Model,
  operations: readonly { readonly verb: string; readonly from: string; readonly to: string }[],
  unique: () => string,
): { readonly actions: readonly SvnAction[]; readonly model: Model } {
  const model = new Map(base);
  const actions: SvnAction[] = [];
  for (const { verb, from, to } of operations) {
    const isFree = !model.has(to) && (parentOf(to) === "" || model.get(parentOf(to)) === null);
    const isThere = base.has(from) && !to.startsWith(`${from}/`);
    if (verb === "put" && (isFree || typeof model.get(to) === "string")) {
      // Long enough that no two contents are the same by chance.
      model.set(to, `${model.get(to) ?? ""}${unique()}\n`);
      actions.push(["put", to, model.get(to) as string]);
    } else if (verb === "mkdir" && isFree) {
      model.set(to, null);
      actions.push(["mkdir", to]);
    } else if (verb === "rm" && model.has(from)) {
      for (const path of below(model, from)) model.delete(path);
      actions.push(["rm", from]);
    } else if ((verb === "cp" || (verb === "mv" && model.has(from))) && isFree && isThere) {
      for (const path of below(base, from)) model.set(`${to}${path.slice(from.length)}`, base.get(path) ?? null);
      actions.push(verb === "cp" ? ["cp", "HEAD", from, to] : ["mv", from, to]);
      if (verb === "mv") for (const path of below(model, from)) model.delete(path);
    }
  }
  return { actions, model };
}

describeWithPeer("svn", "random histories", () => {
  it("property: every new content is listed and shown exactly; what is listed is true", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (rounds) => {
        const repo = createSvnRepository();
        later(repo.remove);
        const { vcs } = openSvn(repo.url);
        let count = 0;
        const models: Model[] = [new Map()];
        for (const operations of rounds) {
          const base = models.at(-1) as Model;
          const { actions, model } = plan(base, operations, () => `unique line ${count++}`);
          if (actions.length === 0) continue;
          repo.commit(actions);
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
      { numRuns: Number(process.env["RUNS"] ?? 2), seed: Number(process.env["SEED"] ?? 41), endOnFailure: true },
    );
  }, 600_000);
});
