// The contract that every VCS adapter keeps: its answers agree with each other and with what was really committed.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toAppError } from "../../src/core/errors.ts";
import type { Vcs } from "../../src/ports/vcs.ts";
import { HISTORY, randomSteps } from "./vcs-samples.ts";
import { after, applied, expectedList, type Step, shownList, type Tree } from "./vcs-truth.ts";

export type { Step } from "./vcs-truth.ts";

export interface VcsUnderTest {
  readonly vcs: Vcs;
  /** The same repository opened anew, as after a restart. */
  reopen(): Vcs;
  /** Makes one change of the default branch and gives what a person would type for it. */
  commit(step: Step): string;
  dispose(): void;
}

export interface VcsHarness {
  /** An empty repository of its own. */
  make(): VcsUnderTest;
  /** Well-formed names of revisions that no repository here has. */
  readonly unknown: readonly string[];
  /** What must be refused before the program sees it, besides what no VCS takes. */
  readonly malformed: readonly string[];
  /** False where one poll may hand out several changes of a branch as one event. */
  readonly pollsEveryChange: boolean;
}

const NO_CAP = { maxFileBytes: 1 << 26, maxTotalBytes: 1 << 28 };

export function vcsContract(name: string, harness: VcsHarness): void {
  describe(`the VCS contract: ${name}`, () => {
    let directory = "";
    let count = 0;
    const opened: VcsUnderTest[] = [];
    const make = (): VcsUnderTest => {
      const made = harness.make();
      opened.push(made);
      return made;
    };
    let shared: VcsUnderTest;
    const specs: string[] = [];
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), "aicr-vcs-contract-"));
      shared = make();
      for (const step of HISTORY) specs.push(shared.commit(step));
    });
    afterAll(() => {
      for (const { dispose } of opened) dispose();
      rmSync(directory, { recursive: true, force: true });
    });

    /** The change's listing, both sides on disk and its diff, against the truth. */
    async function agrees(vcs: Vcs, spec: string, before: Tree, step: Step): Promise<Tree> {
      const truth = after(before, step);
      const change = await vcs.resolve({ spec });
      expect(change.spec).toBe(spec);
      const { files, truncated } = await vcs.listChanges(change);
      expect(truncated).toBe(false);
      expect(shownList(files)).toEqual(expectedList(before, step));
      for (const file of files) {
        if (file.kind !== "delete") expect([file.path, file.size]).toEqual([file.path, truth.get(file.path)?.length]);
        const content = file.kind === "delete" ? before.get(file.path) : truth.get(file.path);
        expect([file.path, file.isBinary]).toEqual([file.path, content?.includes(0)]);
        expect(Buffer.from(file.rawPath, "latin1").toString()).toBe(file.path);
      }
      for (const [side, tree] of [["new", truth] as const, ["old", before] as const]) {
        const target = join(directory, String(count++));
        const made = await vcs.materialise(change, { side, directory: target, files, ...NO_CAP });
        expect(made.skipped).toEqual([]);
        const wanted = files.filter(({ kind }) => kind !== (side === "new" ? "delete" : "add"));
        const paths = wanted.map(({ path, oldPath }) => (side === "new" ? path : (oldPath ?? path)));
        expect(made.written.map(({ path }) => path).sort()).toEqual([...paths].sort());
        for (const path of paths) expect(readFileSync(join(target, path))).toEqual(tree.get(path));
      }
      const { diff, omitted, bytes } = await vcs.diff(change, files);
      expect(omitted).toEqual([]);
      expect(diff.bytes.length).toBe(bytes);
      expect(diff.files).toHaveLength(files.length);
      for (const shown of diff.files) {
        const raw = shown.newPath ?? shown.oldPath;
        const file = files.find(({ rawPath }) => rawPath === raw);
        expect([raw, shown.isBinary]).toEqual([raw, file?.isBinary]);
        if (file === undefined || shown.isBinary) continue;
        const old = before.get(file.oldPath ?? file.path) ?? Buffer.alloc(0);
        const fresh = file.kind === "delete" ? Buffer.alloc(0) : truth.get(file.path);
        expect(applied(diff, shown, shown.oldPath === null ? Buffer.alloc(0) : old)).toEqual(fresh);
      }
      return truth;
    }

    it("listing, diff and both sides of every change agree with what was committed", async () => {
      let tree: Tree = new Map();
      for (const [index, step] of HISTORY.entries())
        tree = await agrees(shared.vcs, specs[index] as string, tree, step);
    });

    it("property: old - deleted + added = new for changes at random", async () => {
      await fc.assert(
        fc.asyncProperty(randomSteps, async (rounds) => {
          const { vcs, commit } = make();
          let tree: Tree = new Map();
          for (const [round, entries] of rounds.entries()) {
            const write: Record<string, string> = { seed: `${round}\n` };
            const remove = new Set<string>();
            for (const [path, content] of entries) {
              if (content === null && tree.has(path) && write[path] === undefined) remove.add(path);
              else if (content !== null && !remove.has(path) && tree.get(path)?.toString() !== content)
                write[path] = content;
            }
            // A removal with a like addition is a move to a VCS that guesses moves.
            const adds = Object.keys(write).some((path) => !tree.has(path));
            const step = { write, remove: adds ? [] : [...remove] };
            tree = await agrees(vcs, commit(step), tree, step);
          }
        }),
        { numRuns: 2, seed: 20_201 },
      );
    });

    it("the newest change is what nothing typed means; check and isAncestor know it", async () => {
      const [first, newest] = [
        await shared.vcs.resolve({ spec: specs[0] as string }),
        await shared.vcs.resolve({ spec: "" }),
      ];
      const named = await shared.vcs.resolve({ spec: specs.at(-1) as string });
      expect(newest.head).toEqual(named.head);
      expect(newest.isDefaultBranch).toBe(true);
      expect(newest.head.vcs).toBe(shared.vcs.kind);
      expect((await shared.vcs.check()).head?.canonical).toBe(newest.head.canonical);
      expect(await shared.vcs.isAncestor(first.head.canonical, newest.head.canonical)).toBe(true);
      expect(await shared.vcs.isAncestor(newest.head.canonical, newest.head.canonical)).toBe(true);
      expect(await shared.vcs.isAncestor(newest.head.canonical, first.head.canonical)).toBe(false);
    });

    it("context and attribution are those of the revision, though the file is gone or changed since", async () => {
      const { vcs } = shared;
      const [first, second] = await Promise.all(
        specs.slice(0, 2).map(async (spec) => (await vcs.resolve({ spec })).head.canonical),
      );
      if (first === undefined || second === undefined) throw new Error("two changes were made");
      const text = async (revision: string, path: string) => (await vcs.fetchExtraContext({ revision, path })).text;
      expect(await text(first, "at@2.c")).toBe("one\n");
      expect(await text(second, "at@2.c")).toBe("two\n");
      expect(await text(second, "a b/100%41 #é.c")).toBe("one\ntwo\n");
      const lines = await vcs.fetchExtraContext({ revision: second, path: "src/a.c", lines: { start: 2, end: 3 } });
      expect(lines).toEqual({
        path: "src/a.c",
        text: "line 0\nline 1\n",
        firstLine: 2,
        totalLines: 31,
        truncated: false,
      });
      const blame = await vcs.fetchAttribution({ revision: second, path: "src/a.c", lines: { start: 1, end: 2 } });
      expect(blame.status).toBe("ok");
      expect(blame.entries.map(({ line, revision }) => [line, revision])).toEqual([
        [1, second],
        [2, first],
      ]);
      expect(JSON.stringify(blame)).not.toMatch(/top|line 0/);
      expect(await vcs.fetchAttribution({ revision: second, path: "no.c" })).toMatchObject({
        status: "not_found",
        entries: [],
      });
    });

    it("refuses what lies outside, is not there, is no text or no revision", async () => {
      const { vcs } = shared;
      const revision = (await vcs.resolve({ spec: specs[1] as string })).head.canonical;
      const paths = {
        "../x": "bad_path",
        "/etc/passwd": "bad_path",
        "src/../../x": "bad_path",
        "C:\\x": "bad_path",
        "a\0b": "bad_path",
        src: "bad_path",
        "src/gone.c": "path_not_found",
        "%2e%2e/x": "path_not_found",
        "data.bin": "not_text",
      };
      for (const [path, reason] of Object.entries(paths)) {
        expect([path, await reasonOf(vcs.fetchExtraContext({ revision, path }))]).toEqual([path, reason]);
      }
      for (const spec of ["-x", "--output=x", "a b", "$(id)", "`id`", "a\nb", "a;b", "../..", ...harness.malformed]) {
        expect([spec, await reasonOf(vcs.resolve({ spec }))]).toEqual([spec, "bad_revision"]);
      }
      for (const spec of harness.unknown) {
        expect([spec, await reasonOf(vcs.resolve({ spec }))]).toEqual([spec, "unknown_revision"]);
      }
      for (const request of [{ revision: "--output=x", path: "src/a.c" }]) {
        expect(await reasonOf(vcs.fetchExtraContext(request))).toBe("bad_revision");
        expect(await reasonOf(vcs.fetchAttribution(request))).toBe("bad_revision");
      }
    });

    it("keeps its limits: bytes, time, cancellation, and no files asked for", async () => {
      const { vcs } = shared;
      const change = await vcs.resolve({ spec: specs[0] as string });
      const { files } = await vcs.listChanges(change);
      const cut = await vcs.diff(change, files, { maxBytes: 400 });
      expect(cut.truncated).toBe(true);
      expect(cut.bytes).toBeLessThanOrEqual(400);
      expect(cut.omitted.length + cut.diff.files.length).toBe(files.length);
      expect(await vcs.diff(change, [])).toMatchObject({ bytes: 0, truncated: false, omitted: [] });
      const small = {
        side: "new" as const,
        directory: join(directory, "small"),
        files,
        maxFileBytes: 10,
        maxTotalBytes: 12,
      };
      const made = await vcs.materialise(change, small);
      expect(made.written.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(12);
      expect(new Set(made.skipped.map(({ reason }) => reason))).toEqual(new Set(["too_large", "budget"]));
      expect(made.written.length + made.skipped.length).toBe(files.length);
      expect(await reasonOf(shared.reopen().listChanges(change, { deadlineMs: 0 }))).toBe("timeout");
      expect(await reasonOf(shared.reopen().listChanges(change, { signal: AbortSignal.abort() }))).toBe("cancelled");
    });

    it("polls without skipping or repeating, over restarts and limits", async () => {
      const { vcs, commit, reopen } = make();
      commit({ write: { a: "0\n" } });
      const first = await vcs.poll(null, 10);
      expect(first).toMatchObject({ events: [], gap: false });
      const made: string[] = [];
      const seen: string[] = [];
      let cursor = first.next;
      for (const burst of [1, 0, 3, 2]) {
        for (let index = 0; index < burst; index++) {
          const spec = commit({ write: { a: `${made.length + 1}\n` } });
          made.push((await vcs.resolve({ spec })).head.canonical);
        }
        for (let round = 0; round <= burst; round++) {
          const poll = await reopen().poll(cursor, 1);
          expect(poll.gap).toBe(false);
          expect(poll.events.length).toBeLessThanOrEqual(1);
          seen.push(...poll.events.map(({ head }) => head ?? "none"));
          cursor = poll.next;
        }
        expect(seen.at(-1)).toBe(made.at(-1));
      }
      expect(seen).toEqual(harness.pollsEveryChange ? made : made.filter((_, index) => [0, 3, 5].includes(index)));
      expect(await reopen().poll("nonsense", 10)).toMatchObject({ events: [], gap: true });
    });
  });
}

async function reasonOf(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => "no error",
    (error: unknown) => toAppError(error).reason,
  );
}
