// What people read: reports, answers, failures, audit lines and notes, composed with the built-in templates.
import { describe, expect, it } from "vitest";
import { composeAnswer } from "../../../src/cards/compose-answer.ts";
import { composeAudit } from "../../../src/cards/compose-audit.ts";
import { composeFailure } from "../../../src/cards/compose-failure.ts";
import { composeNote } from "../../../src/cards/compose-note.ts";
import { composeReport } from "../../../src/cards/compose-report.ts";
import { createLinkBuilder, noLinks } from "../../../src/cards/links.ts";
import { readableText } from "../../../src/cards/readable-text.ts";
import type { Change } from "../../../src/core/change.ts";
import { commandWords, unansweredVerbs } from "../../../src/core/command.ts";
import { locales } from "../../../src/core/locale.ts";
import type { AssessedProblem, Severity } from "../../../src/core/problem.ts";
import type { Report } from "../../../src/core/report.ts";
import type { Review } from "../../../src/core/review.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";

const texts = createTexts();
const locale = "en";
const links = createLinkBuilder({
  commit: "https://git.test/c/{rev}",
  file: "https://git.test/f/{rev}/{path}",
  line: "#L{line}",
  lines: "#L{line}-L{endLine}",
});

const change: Change = {
  repository: "demo",
  vcs: "git",
  head: {
    vcs: "git",
    canonical: "abc123",
    display: "abc",
    author: "Ada",
    time: 0,
    message: "# fix *it* @everyone\n\nbody",
    parents: [],
    flags: [],
  },
  base: "empty",
  baseReason: "first_parent",
  ref: "refs/heads/main",
  isDefaultBranch: true,
  spec: "main",
  files: [
    { kind: "modify", path: "src/a.ts" },
    { kind: "delete", path: "src/gone.ts" },
    { kind: "rename", path: "src/new.ts", oldPath: "src/old.ts" },
  ],
  fileCount: 40,
};

const review: Review = {
  id: "rv_1",
  repository: "demo",
  spec: "main",
  agent: "checks",
  paths: [],
  locale,
  requester: { kind: "feed", feed: "push" },
  status: "reported",
  attempt: 1,
  createdAt: 0,
  change,
};

function problem(name: string, severity: Severity, more: Partial<AssessedProblem["problem"]> = {}): AssessedProblem {
  return {
    problem: { file: `src/${name}.ts`, line: 7, severity, category: "bug", message: `${name} is wrong`, ...more },
    anchored: true,
    fingerprint: name,
    keys: [name],
    anchorDigest: "",
  };
}

const reportOf = (...problems: readonly AssessedProblem[]): Report => ({
  outcome: "reported",
  problems,
  summaries: [],
});
const compose = (report: Report, more: Partial<Parameters<typeof composeReport>[0]> = {}) =>
  composeReport({ texts, review, report, locale, links, ...more });

describe("E18 problems are shown by severity, and what is left out is counted", () => {
  const mixed = reportOf(problem("a", "low"), problem("b", "critical"), problem("c", "info"), problem("d", "high"));

  it("orders root and thread by severity, not by report order", () => {
    const { root, thread } = compose(mixed);
    expect(thread.map(({ fingerprint }) => fingerprint)).toEqual(["b", "d", "a", "c"]);
    const text = readableText(root);
    const places = ["b", "d", "a", "c"].map((name) => text.indexOf(`src/${name}.ts:7`));
    expect(places).toEqual([...places].sort((x, y) => x - y));
    expect(places).not.toContain(-1);
  });

  it("counts what is below the floor, what the root does not list, and files that are not named", () => {
    const many = reportOf(...Array.from({ length: 14 }, (_, index) => problem(`p${index}`, "medium")));
    const fresh = many.outcome === "reported" ? many.problems.map((one) => one.fingerprint) : [];
    const { root, thread } = compose(many, { facts: { fresh, stillOpen: [], belowFloor: 3 } });
    const text = readableText(root);
    expect(text).toContain("and 4 more problems");
    expect(text).toContain("3 problems below the severity floor are not shown.");
    expect(text).toContain("and 37 more files");
    expect(thread).toHaveLength(14);
  });

  it("keeps a flood of problems to the gravest, and counts the others", () => {
    const flood = reportOf(
      ...Array.from({ length: 500 }, (_, index) => problem(`p${index}`, "low")),
      problem("worst", "high"),
    );
    const { root, thread } = compose(flood);
    expect(thread).toHaveLength(50);
    expect(thread[0]?.fingerprint).toBe("worst");
    expect(root.title).toBe("501 problems in demo");
    expect(readableText(root)).toContain("451 problems are counted here but not shown in the thread.");
    expect(compose(flood, { threadLimit: Infinity }).thread).toHaveLength(501);
  });

  it("takes the tone from the gravest", () => {
    const toneOf = (...severities: readonly Severity[]) =>
      compose(reportOf(...severities.map((severity, index) => problem(String(index), severity)))).root.tone;
    expect([toneOf("info", "critical"), toneOf("high"), toneOf("medium", "low"), toneOf("low")]).toEqual([
      "danger",
      "danger",
      "warning",
      "info",
    ]);
  });
});

describe("a report", () => {
  it("says what, who, the verdict and the files, deleted ones included (E10)", () => {
    const { root } = compose(reportOf(problem("a", "high"), problem("b", "low")));
    expect(root).toMatchObject({ title: "2 problems in demo", link: "https://git.test/c/abc123" });
    expect(root.fallback).toBe("demo abc: 1 high, 1 low. # fix *it* @\u2060everyone");
    expect(readableText(root)).toBe(
      [
        "2 problems in demo",
        "Change abc # fix *it* @\u2060everyone",
        "Branch main",
        "Author Ada",
        "Files 40 files, 1 deleted",
        "Verdict 1 high, 1 low",
        "High src/a.ts:7 — a is wrong",
        "Low src/b.ts:7 — b is wrong",
        "Changed files",
        "src/a.ts — changed",
        "src/gone.ts — deleted",
        "src/new.ts — renamed from src/old.ts",
        "and 37 more files",
      ].join("\n"),
    );
  });

  it("counts new, still open and resolved ones, and adds only new ones to the thread", () => {
    const facts = { fresh: ["a"], stillOpen: ["b"], resolved: ["x", "y"] };
    const { root, thread } = compose(reportOf(problem("a", "low"), problem("b", "low"), problem("hidden", "info")), {
      facts,
    });
    expect(readableText(root)).toContain("Since the last report 1 new, 1 still open, 2 resolved");
    expect(readableText(root)).not.toContain("hidden");
    expect(thread.map(({ fingerprint }) => fingerprint)).toEqual(["a"]);
    expect(
      compose(reportOf(problem("b", "low")), { facts: { fresh: [], stillOpen: ["b"], editOnly: true } }).thread,
    ).toEqual([]);
  });

  it("shows a problem with its place linked, its lines numbered and its patch", () => {
    const one = problem("a", "critical", { endLine: 9, suggestion: "```diff\n-x\n+y\n```" });
    const excerpt = { firstLine: 9, lines: ["let a;", "", "a();"], language: "typescript" };
    const [only] = compose(reportOf({ ...one, excerpt })).thread;
    expect(only?.card).toMatchObject({
      title: "Critical · src/a.ts:7-9",
      link: "https://git.test/f/abc123/src/a.ts#L7-L9",
      tone: "danger",
      fallback: "Critical: src/a.ts:7-9 a is wrong",
    });
    expect(only?.card.blocks.filter((block) => block.kind === "code")).toEqual([
      { kind: "code", language: "typescript", text: " 9  let a;\n10\n11  a();" },
      { kind: "code", language: "diff", text: "-x\n+y" },
    ]);
  });

  it("links no line that is not part of the change, and says so", () => {
    const [only] = compose(reportOf({ ...problem("a", "low"), anchored: false })).thread;
    expect(only?.card.link).toBeUndefined();
    expect(readableText(only?.card ?? { title: "", blocks: [] })).toContain("this line is not part of the change");
  });

  it("keeps hostile names whole and inert", () => {
    const file = "a\n](http://evil.test) `b` <!channel>\u202e.ts";
    const hostile: Review = {
      ...review,
      change: { ...change, ref: "refs/heads/-x\u001b[31m", files: [{ kind: "add", path: file }] },
    };
    const { root, thread } = compose(reportOf(problem("a", "low", { file })), { review: hostile });
    expect(thread[0]?.card.title).toBe("Low · a␊](http://evil.test) `b` <\u2060!channel>\\u202e.ts:7");
    expect(thread[0]?.card.link).toBe(
      "https://git.test/f/abc123/a%0A%5D%28http%3A//evil.test%29%20%60b%60%20%3C%21channel%3E%E2%80%AE.ts#L7",
    );
    expect(readableText(root)).toContain("Branch -x␛[31m");
    expect(JSON.stringify(root.blocks)).not.toMatch(/"url":"http:\/\/evil/);
  });

  it("titles what is clean, and what got clean", () => {
    const clean: Report = { outcome: "clean", summaries: [{ title: "S", markdown: "# All *good*" }] };
    const { root } = compose(clean);
    expect(root).toMatchObject({ title: "Nothing to report in demo", tone: "good" });
    expect(readableText(root)).toContain("S\nAll good");
    expect(compose(clean, { facts: { resolved: ["x"] } }).root.title).toBe("All problems are resolved in demo");
    const beside = compose(clean, { facts: { resolved: ["x"], stillOpen: ["y", "z"] } }).root;
    expect(beside).toMatchObject({ title: "2 problems in demo", tone: "warning" });
    expect(beside.fallback).toContain("2 still open");
  });

  it("speaks the reader's language", () => {
    expect(compose(reportOf(problem("a", "high")), { locale: "zh-CN" }).root.title).toBe("demo 中有 1 个问题");
    expect(compose(reportOf(problem("a", "high")), { locale: "vi" }).thread[0]?.card.title).toBe("Cao · src/a.ts:7");
  });
});

describe("private answers", () => {
  const answer = (report: Report, more: object = {}) =>
    composeAnswer({ texts, review, report, locale, links, ...more });

  it("give the reason for silence", () => {
    const skipped = (reason: string) => readableText(answer({ outcome: "skipped", reason, summaries: [] }));
    expect(skipped("no_changed_files")).toContain("Nothing to report in demo\nNo files differ");
    expect(skipped("only *docs*")).toContain("The reviewer skipped this change: only *docs*");
    expect(readableText(answer({ outcome: "clean", summaries: [] }))).toContain("The review found no problems.");
  });

  it("point to the report that is still open, and say what is reused", () => {
    const card = answer(reportOf(problem("a", "high")), { reportUrl: "https://chat.test/1", earlierMs: 240_000 });
    expect(card).toMatchObject({ title: "1 problem is still open in demo", tone: "danger" });
    expect(JSON.stringify(card.blocks)).toContain('"url":"https://chat.test/1"');
    expect(readableText(card)).toContain("4 minutes ago");
  });
});

describe("failures", () => {
  it("say what failed and what to do, in the reader's language", () => {
    const failure = {
      message: "m",
      remedy: "r",
      reason: "unknown_revision",
      params: { rev: "`x`", repository: "demo" },
    };
    const card = composeFailure({ texts, review, failure, locale, links });
    expect(card).toMatchObject({ title: "The review of demo failed", tone: "danger" });
    expect(readableText(card)).toContain(
      "There is no revision `x` in demo.\nCheck the spelling, or push the commit first.",
    );
    expect(readableText(composeFailure({ texts, failure, locale: "vi" }))).toContain(
      "Không có phiên bản `x` trong demo.",
    );
  });

  it("use the fault's own words where the catalogue has none, or lacks a value", () => {
    for (const failure of [
      { message: "It broke.", remedy: "Mend it.", reason: "no_such_reason", params: {} },
      { message: "It broke.", remedy: "Mend it.", reason: "unknown_revision", params: {} },
    ]) {
      expect(readableText(composeFailure({ texts, failure, locale: "zh-CN" }))).toContain("It broke.\nMend it.");
    }
  });
});

describe("audit lines and notes", () => {
  const audit = (report: Report | null, more: object = {}) =>
    composeAudit({ texts, review, report, locale, links: noLinks, ...more }).title;

  it("are one line", () => {
    expect(audit(reportOf(problem("a", "high")))).toMatch(/^demo main abc: 1 high · by /);
    expect(audit({ outcome: "clean", summaries: [] })).toMatch(/^demo main abc: no problems · by /);
    expect(audit({ outcome: "skipped", reason: "lgtm", summaries: [] })).toContain("nothing that needs a change");
    expect(
      audit(null, {
        review: { ...review, failure: { code: "timeout", message: "m", remedy: "r", reason: "timeout" } },
      }),
    ).toBe("demo main abc: the review failed: It took longer than allowed. · by Ada");
    expect(audit(reportOf(problem("a", "info")), { facts: { fresh: [], stillOpen: [], belowFloor: 1 } })).toContain(
      "1 below",
    );
  });

  it("keep what people typed as text", () => {
    const card = composeNote({ texts, locale }, "command.unknown", { word: "`**x**", nearest: "/review help" });
    expect(card.title).toBe("“`**x**” was not found, or is not allowed here.");
    expect(readableText(card)).toContain("Did you mean /review help?");
  });

  it.each(locales)("fit help on one screen in %s, with every verb that is answered and no other", (language) => {
    const card = composeNote({ texts, locale: language }, "command.help", { command: "/review", verbs: "/review" });
    const help = readableText(card);
    expect(help.split("\n").length).toBeLessThanOrEqual(20);
    expect(help).toMatch(/^\/review <[^>]+> \[<[^>]+>\]/m);
    const offered = commandWords.filter((verb) => new RegExp(`(?:/review |\\| )${verb}\\b`).test(help));
    const answered = commandWords.filter((verb) => verb !== "review" && !unansweredVerbs.has(verb));
    expect(offered).toEqual(answered);
  });
});
