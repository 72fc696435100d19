// One root for a branch: later pushes edit it (new, still open, resolved) and add only what is new.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readableText } from "../../../src/cards/readable-text.ts";
import type { AgentPass } from "../../../src/ports/agent.ts";
import { readChangeFile } from "../../../src/report-tools/change-file.ts";
import type { KeptMessage } from "../../fakes/fake-channel.ts";
import { createFeedProduct, type FeedProduct } from "../../fakes/feed-product.ts";
import { createRepository, type GitRepository } from "../../fakes/git-repository.ts";

const branch = "refs/heads/feature/x";

/** Reports each added line that says BUG, as an agent does that speaks only of what a change introduced. */
function reportAddedBugs(pass: AgentPass): readonly (readonly [string, unknown])[] {
  const read = readChangeFile(pass.paths.change);
  if (read.kind !== "ok") throw new Error(`change.json is ${read.kind}`);
  const calls = read.facts.files
    .filter((file) => file.kind !== "delete")
    .flatMap((file) => {
      const lines = readFileSync(join(pass.paths.source, file.path), "utf8").split("\n");
      const added = file.added.flatMap(({ start, end }) =>
        Array.from({ length: end - start + 1 }, (_, n) => start + n),
      );
      return added
        .filter((line) => lines[line - 1]?.includes("BUG"))
        .map((line): readonly [string, unknown] => [
          "aicr.report_problem",
          { file: file.path, line, severity: "high", category: "bug", message: `Line says ${lines[line - 1]}` },
        ]);
    });
  return calls.length > 0 ? calls : [["aicr.skip", { reason: "lgtm" }]];
}

let git: GitRepository;
let product: FeedProduct;
let tip = "";

beforeEach(async () => {
  git = createRepository({ bare: true });
  tip = git.commit({ ref: "refs/heads/main", files: { "readme.md": "hello\n" } })[0] ?? "";
  product = await createFeedProduct({ repository: git.path, report: reportAddedBugs });
  await product.poll();
});
afterEach(async () => {
  await product.remove();
  git.remove();
});

async function push(files: Record<string, string>, ref = branch): Promise<void> {
  tip = git.commit({ ref, files, from: tip })[0] ?? "";
  await product.poll();
  await product.work();
}
function text({ content }: KeptMessage): string {
  if ("card" in content) return readableText(content.card);
  return "text" in content ? content.text : content.alt;
}
const roots = (): KeptMessage[] => product.channel.kept.filter(({ ref }) => ref.thread === undefined);
const thread = (): KeptMessage[] => product.channel.kept.filter(({ ref }) => ref.thread !== undefined);

test("three pushes to a branch make one root, edited in place, and a thread of what is new", async () => {
  await push({ "a.ts": "ok\nBUG one\nok\n" });
  expect(roots()).toHaveLength(1);
  expect(thread()).toHaveLength(1);
  const [root] = roots();
  if (root === undefined) throw new Error("there is no root");
  expect(text(root)).toContain("1 problem in game");

  // The first problem stands in the context of the second push's diff, which is no reason to call it resolved.
  await push({ "a.ts": "ok\nBUG one\nok\nBUG two\n" });
  expect(roots()).toHaveLength(1);
  expect(thread()).toHaveLength(2);
  expect(text(root)).toContain("2 problems in game");
  expect(text(root)).toContain("1 new, 1 still open");

  await push({ "a.ts": "ok\nmended\nok\nBUG two\n" });
  expect(roots()).toHaveLength(1);
  expect(thread()).toHaveLength(2);
  expect(text(root)).toContain("1 problem in game");
  expect(text(root)).toContain("1 still open, 1 resolved");

  await push({ "a.ts": "ok\nmended\nok\nmended too\n" });
  expect(roots()).toHaveLength(1);
  expect(text(root)).toContain("All problems are resolved in game");
});

test("a push that says nothing new posts nothing", async () => {
  await push({ "a.ts": "BUG one\n" });
  await push({ "other.ts": "fine\n" });
  expect(roots()).toHaveLength(1);
  expect(thread()).toHaveLength(1);
});

test("a problem that comes back after it was resolved is told again", async () => {
  await push({ "a.ts": "BUG one\n" });
  await push({ "a.ts": "fine\n" });
  await push({ "a.ts": "BUG one\n" });
  expect(roots()).toHaveLength(1);
  expect(thread()).toHaveLength(2);
});
