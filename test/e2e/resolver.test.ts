// Context and blame over a real repository: the agent's server process asks through the socket, git answers at the reviewed revision.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ResolverServer, serveResolver } from "../../src/agents/resolver.ts";
import { createWorkspace, type RunWorkspace } from "../../src/agents/workspace.ts";
import { createAnswerContext } from "../../src/app/answer-context.ts";
import type { RunPaths } from "../../src/ports/agent.ts";
import type { FetchedContext } from "../../src/ports/vcs.ts";
import { writeChangeFile } from "../../src/report-tools/change-file.ts";
import { readState } from "../../src/report-tools/state-file.ts";
import { changeFacts, currentRunId } from "../fakes/change-facts.ts";
import { createRepository, type GitRepository, temporaryDirectory } from "../fakes/git-repository.ts";
import { type Fixture, openVcs } from "../unit/vcs/git/support.ts";
import { openSession, type Reply, type StdioSession } from "./stdio-session.ts";

let repo: GitRepository;
let fixture: Fixture;
let runs: ReturnType<typeof temporaryDirectory>;
let workspace: RunWorkspace;
let paths: RunPaths;
let resolver: ResolverServer | null = null;
let session: StdioSession;

beforeEach(() => {
  repo = createRepository();
  runs = temporaryDirectory("aicr-runs-");
  workspace = createWorkspace({ runsDir: runs.path });
});
afterEach(async () => {
  await session.kill();
  await resolver?.close();
  fixture.remove();
  // Sealed folders are opened before they are removed.
  await workspace.purgeRuns(Number.MAX_SAFE_INTEGER);
  runs.remove();
  repo.remove();
});

/** Starts what a pass has: a run directory, the resolver over `clone`, and the server that the agent would start. */
async function startPass(clone: string, head: string): Promise<void> {
  fixture = openVcs(clone);
  const change = await fixture.vcs.resolve({ spec: head });
  paths = await workspace.create("rv_1", 1);
  writeChangeFile(paths.change, changeFacts());
  await workspace.preparePass(paths, currentRunId);
  const keep = (context: FetchedContext) => workspace.keepFetched(paths, context);
  const answers = createAnswerContext(fixture.vcs, change, keep, { redact: (text) => text, learn: () => {} });
  resolver = await serveResolver(answers, (run) => run === currentRunId);
  session = await openSession({
    AICR_OUTPUT_STATE_PATH: paths.state,
    AICR_CHANGE_PATH: paths.change,
    AICR_RUN_ID: currentRunId,
    AICR_RESOLVER: resolver?.path ?? "",
  });
}

const ask = (name: string, path: string, range?: object): Promise<Reply> =>
  session.call(1, name, { path, reason: "It decides the changed line.", ...(range && { range }) });

it("answers inline at the reviewed revision, keeps the file, and refuses for good what is not there", async () => {
  const [, reviewed = ""] = repo.commit(
    { files: { "src/api.ts": "one\n", "old.ts": "gone soon\n" } },
    { files: { "src/api.ts": "one\ntwo\n", "old.ts": null } },
    { files: { "src/api.ts": "newer\n", "later.ts": "later\n" } },
  );
  await startPass(repo.path, reviewed);

  const answer = { path: "src/api.ts", text: "one\ntwo\n", firstLine: 1, totalLines: 2, truncated: false };
  const context = await ask("aicr.fetch_more_context", "./src//api.ts");
  expect(context.result).toMatchObject({ isError: false, structuredContent: answer });
  expect(JSON.parse(context.result?.content?.[0]?.text ?? "")).toEqual(answer);
  expect(readFileSync(join(paths.source, "src/api.ts"), "utf8")).toBe("one\ntwo\n");

  // Of an earlier revision, of a later one, of none, and of something that is no file.
  for (const path of ["old.ts", "later.ts", "never.ts", "src"]) {
    const refused = await ask("aicr.fetch_more_context", path);
    expect(refused.result?.isError).toBe(true);
    expect(refused.result?.content?.[0]?.text).toMatch(/Do not retry this path\.$/);
    expect(existsSync(join(paths.source, path))).toBe(path === "src");
  }
  for (const path of ["../outside.ts", "/etc/passwd", "src/../../x"]) {
    const outside = await ask("aicr.fetch_more_context", path);
    expect(outside.result).toMatchObject({ isError: true });
    expect(outside.result?.content?.[0]?.text).toContain("do not retry this path");
  }

  const read = readState(paths.state, currentRunId);
  expect(read.kind === "ok" && read.state.contextRequests.map(({ path, outcome }) => [path, outcome])).toEqual([
    ["src/api.ts", "answered"],
    ["old.ts", "refused"],
    ["later.ts", "refused"],
    ["never.ts", "refused"],
    ["src", "refused"],
  ]);
});

it("blames without source: ok, partial where a shallow clone ends, not_found where there is nothing", async () => {
  const [, , head = ""] = repo.commit(
    { files: { "a.ts": "secret source\nold\n" }, author: "Ada" },
    { files: { "a.ts": "secret source\nnew\n" }, author: "Bob" },
    { files: { "a.ts": "secret source\nnew\nthird\n" }, author: "Eve" },
  );
  const shallow = `${repo.path}/shallow`;
  repo.git("clone", "-q", "--depth", "2", `file://${repo.path}`, shallow);
  await startPass(shallow, head);

  const whole = await ask("aicr.try_blame", "a.ts");
  expect(whole.result?.structuredContent).toMatchObject({ path: "a.ts", status: "partial" });
  expect(JSON.stringify(whole)).not.toContain("secret source");
  const known = await ask("aicr.try_blame", "a.ts", { start_line: 3 });
  expect(known.result?.structuredContent).toMatchObject({
    status: "ok",
    entries: [{ line: 3, revision: head, author: "Eve" }],
  });
  expect((await ask("aicr.try_blame", "never.ts")).result?.structuredContent).toEqual({
    path: "never.ts",
    status: "not_found",
    entries: [],
  });
});
