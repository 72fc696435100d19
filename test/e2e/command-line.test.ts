// The command line as a stranger meets it: the built bundle, spawned in a folder of its own, judged by what it prints and its exit code.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRepository, type GitRepository, temporaryDirectory } from "../fakes/git-repository.ts";
import { type Ended, runCommand } from "../fakes/product-process.ts";

const folder = temporaryDirectory("aicr-command-");
let repository: GitRepository;
const review = (...args: readonly string[]): Promise<Ended> => runCommand(["review", ...args], { cwd: folder.path });

/** One plain sentence of what is wrong and one of what to do, and nothing of the program's inside. */
function expectPlain({ stdout, stderr }: Ended): void {
  const said = `${stdout}${stderr}`;
  expect(said).not.toMatch(/^\s+at .+:\d+/mu);
  expect(said).not.toContain("node:internal");
  expect(said).not.toContain("\u001b");
}

beforeAll(() => {
  repository = createRepository({ path: join(folder.path, "shop") });
  repository.commit(
    { message: "Start", files: { "src/a.js": "export const a = 1;\n" } },
    { message: "Add b", files: { "src/b.js": "export const b = 2;\n" } },
    { message: "Merge badly", files: { "src/a.js": "<<<<<<< ours\nexport const a = 1;\n=======\n>>>>>>> theirs\n" } },
  );
  repository.git("reset", "-q", "--hard");
});
afterAll(() => folder.remove());

describe("a review of the demo", () => {
  it("prints the report as plain text into a pipe, and exits with 1", async () => {
    const ended = await review("demo", "HEAD");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe("");
    expectPlain(ended);
    expect(ended.stdout).toContain("problems in demo");
    expect(ended.stdout).toContain("• Critical config/archive.env:2 — ");
    expect(ended.stdout).toMatch(/ {4}3 {2}AWS_SECRET_ACCESS_KEY=\*\*\*/u);
    expect(ended.stdout.endsWith("\n")).toBe(true);
    expect(ended.stdout.endsWith("\n\n")).toBe(false);
    // The same words come as the root's list and as the thread's headings.
    expect(ended.stdout.match(/^Critical · config\/archive\.env:\d+$/gmu)).toHaveLength(2);
  });

  it("prints JSON with the agreed fields, in Simplified Chinese", async () => {
    const ended = await review("demo", "HEAD", "--format", "json", "--lang", "zh-CN");
    expect(ended.code).toBe(1);
    const report = JSON.parse(ended.stdout);
    expect(report).toMatchObject({ status: "reported", skipReason: null });
    expect(report.problems.length).toBeGreaterThanOrEqual(8);
    for (const problem of report.problems) {
      expect(problem).toEqual({
        file: expect.any(String),
        line: expect.any(Number),
        ...("end_line" in problem ? { end_line: expect.any(Number) } : {}),
        severity: expect.stringMatching(/^(critical|high|medium|low|info)$/u),
        category: expect.any(String),
        message: expect.any(String),
        ...("suggestion" in problem ? { suggestion: expect.any(String) } : {}),
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/u),
        anchored: true,
      });
    }
    expect(report.problems.map(({ message }: { message: string }) => message).join("")).toMatch(/\p{Script=Han}/u);
    expect(report.summaries).toEqual([{ title: expect.any(String), markdown: expect.any(String) }]);
    expect(report.change).toMatchObject({ repository: "demo", vcs: "git", spec: "HEAD", baseReason: "first_parent" });
    expect(report.change.head.revision).toMatch(/^[0-9a-f]{40}$/u);
    expect(Object.keys(report.timings)).toEqual(["queuedMs", "resolveMs", "materialiseMs", "agentMs", "totalMs"]);
  });

  it("prints Markdown in Vietnamese", async () => {
    const ended = await review("demo", "HEAD", "--format", "markdown", "--lang", "vi");
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/^# .+demo/u);
    expect(ended.stdout).toContain("\n\n---\n\n# ");
    expect(ended.stdout).toMatch(/\n {4}|```/u);
    expect(ended.stdout).toMatch(/[ạảấầẩẫậắằẳẵặẹẻẽếềểễệọỏốồổỗộớờởỡợụủứừửữự]/u);
  });

  it("is silent about a clean change, and exits with 0", async () => {
    const ended = await review("demo", "HEAD~1", "--format", "json");
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: "skipped", skipReason: "lgtm", problems: [] });
  });
});

describe("a review of a folder", () => {
  it("takes a path in place of an alias, and the range of its commits", async () => {
    const ended = await review("./shop", "HEAD~1..HEAD");
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("src/a.js:1");
  });

  it("leaves a work tree with uncommitted changes exactly as it is, and reviews what is committed", async () => {
    writeFileSync(join(repository.path, "src/b.js"), "debugger;\n");
    writeFileSync(join(repository.path, "new.js"), "debugger;\n");
    repository.git("add", "new.js");
    const before = [repository.git("status", "--porcelain"), ...readdirSync(join(repository.path, ".git"))];
    const ended = await review("shop", "HEAD~1");
    expect(ended.code).toBe(0);
    expect([repository.git("status", "--porcelain"), ...readdirSync(join(repository.path, ".git"))]).toEqual(before);
    repository.git("reset", "-q", "--hard");
  });

  it("caps a diff that is too large, reviews what is within, and says what was left out", async () => {
    const cwd = join(folder.path, "large");
    const large = createRepository({ path: join(cwd, "repository") });
    const text = Array.from({ length: 2_000 }, (_, n) => `export const value${n} = ${n};\n`).join("");
    large.commit(
      { message: "Start", files: { "README.md": "Large.\n" } },
      {
        message: "Add much",
        files: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`src/part-${n + 10}.js`, text])),
      },
    );
    const config = "repositories:\n  - alias: large\n    path: ./repository\nlimits:\n  diff_bytes: 1048576\n";
    writeFileSync(join(cwd, "aicr-bot.yaml"), config);
    const ended = await runCommand(["review", "large", "HEAD"], { cwd });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/Not looked at: too large/u);
    expectPlain(ended);
  });

  it("reviews the tip of a shallow clone, and says what its cut-off commit lacks", async () => {
    const clone = join(folder.path, "shallow");
    execFileSync("git", ["clone", "-q", "--depth", "2", `file://${repository.path}`, clone], { stdio: "ignore" });
    expect((await review("shallow", "HEAD")).code).toBe(1);
    const ended = await review("shallow", "HEAD~1");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("does not reach far enough back");
    expect(ended.stderr).toContain("Fetch more history");
    expectPlain(ended);
  });
});

describe("what cannot be reviewed is said in a sentence with a remedy, and exits with 2", () => {
  it("E7 (command line): a revision that begins with a hyphen is never an option", async () => {
    for (const revision of ["--output=x", "--upload-pack=touch x", "-O/dev/null"]) {
      const ended = await review("demo", "--", revision);
      expect(ended.code, revision).toBe(2);
      expect(ended.stderr).toContain(`${revision} is not a revision.`);
      expectPlain(ended);
    }
    expect(existsSync(join(folder.path, "x"))).toBe(false);
    const asOption = await review("demo", "--output=x");
    expect(asOption).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Unknown option '--output'"),
    });
  });

  it.each([
    ["en", "There is no revision nothing-here in demo.", "Check the spelling"],
    ["zh-CN", "demo 中没有版本 nothing-here。", "请检查拼写"],
    ["vi", "nothing-here", "demo"],
  ])("an unknown revision, in %s", async (language, what, remedy) => {
    const ended = await review("demo", "nothing-here", "--lang", language);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(what);
    expect(ended.stderr).toContain(remedy);
    expectPlain(ended);
  });

  it("an unknown revision, for a script", async () => {
    const ended = await review("demo", "nothing-here", "--format", "json");
    expect(ended.code).toBe(2);
    const { status, failure } = JSON.parse(ended.stdout);
    expect(status).toBe("failed");
    expect(failure).toMatchObject({ code: "not_found", reason: "unknown_revision", remedy: expect.any(String) });
  });

  it("an ambiguous revision", async () => {
    repository.git("branch", "twice", "HEAD");
    repository.git("tag", "twice", "HEAD~1");
    const ended = await review("shop", "twice", "--lang", "vi");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("twice");
    expect(ended.stderr).not.toContain("could be several");
    expectPlain(ended);
    expect((await review("shop", "twice")).stderr).toContain("twice could be several revisions of shop.");
  });

  it("a folder that is no repository, an empty repository, and an alias that nobody configured", async () => {
    mkdirSync(join(folder.path, "plain"));
    createRepository({ path: join(folder.path, "empty") });
    const [plain, empty, unknown] = [await review("plain"), await review("empty"), await review("elsewhere", "HEAD")];
    for (const ended of [plain, empty, unknown]) {
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expectPlain(ended);
    }
    expect(plain.stderr).toContain("plain is not a repository.");
    expect(empty.stderr).toContain("empty has no commits yet.");
    expect(unknown.stderr).toBe(
      "There is no repository elsewhere: it is no configured alias and no folder.\nName a folder, or one of: demo.\n",
    );
  });

  it("options and values that do not exist, and too few or too many words", async () => {
    const cases: readonly [readonly string[], string][] = [
      [["demo", "HEAD", "--nope"], "Unknown option '--nope'."],
      [["demo", "HEAD", "--format", "xml"], '--format cannot be "xml".\nSay one of: text, markdown, json.'],
      [["demo", "HEAD", "--lang", "fr"], '--lang cannot be "fr".'],
      [["demo", "HEAD", "--agent", "nobody"], "There is no agent nobody.\nConfigured agents: checks."],
      [[], "No repository was named.\nUsage: aicr-bot review"],
      [["demo", "HEAD", "main"], "One word is too many: main."],
    ];
    for (const [args, said] of cases) {
      const ended = await review(...args);
      expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(said) });
      expectPlain(ended);
    }
  });
});
