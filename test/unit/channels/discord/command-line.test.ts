// The options of slash commands become the line that people would type; the core's own parser reads it back.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandLine, completion, givenCommand } from "../../../../channels/discord/command-line.ts";
import { optionsOf, subCommands } from "../../../../channels/discord/command-table.ts";
import type { GivenOption } from "../../../../channels/discord/interaction.ts";
import { parseCommand } from "../../../../src/core/command.ts";

const names = { review: "review", verbs: "aicr" };
const repositories = ["demo", "game-server", "_big.repo"];

function options(values: Readonly<Record<string, string>>): readonly GivenOption[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

describe("the line of a command", () => {
  it.each([
    ["review", { repo: "demo" }, "demo"],
    ["review", { repo: "demo", rev: "a..b", agent: "checks", path: "src/**" }, "demo a..b agent:checks path:src/**"],
    ["review", { path: "src/** docs/**", repo: "demo" }, "demo path:src/** path:docs/**"],
    ["review", { repo: "demo", path: '"my docs/**" x' }, 'demo path:"my docs/**" path:x'],
    ["subscribe", { repo: "demo", branch: "main -dependabot/**" }, "subscribe demo branch:main -branch:dependabot/**"],
    ["subscribe", { repo: "demo", digest: "0 9 * * 1-5", lang: "vi" }, 'subscribe demo digest:"0 9 * * 1-5" lang:vi'],
    ["mute", { duration: "2h", repo: "demo" }, "mute 2h demo"],
    ["dismiss", { finding: "f1", reason: ' says "no" to: it ' }, 'dismiss f1 says "no" to: it'],
    ["help", {}, "help"],
    ["digest", { since: "7d" }, "digest since:7d"],
  ] as const)("%s %j is %s", (verb, values, line) => {
    expect(commandLine({ verb, options: options(values) })).toBe(line);
  });

  it("takes the verb from the sub-command, and knows no other command", () => {
    const sub = { name: "mute", options: [{ name: "duration", value: "2h" }] };
    expect(givenCommand({ name: "aicr", type: 1, options: [sub] }, names)?.verb).toBe("mute");
    expect(givenCommand({ name: "aicr", type: 1, options: [{ name: "launch" }] }, names)).toBeNull();
    expect(givenCommand({ name: "aicr", type: 1, options: [{ name: "review" }] }, names)).toBeNull();
    expect(givenCommand({ name: "aicr", type: 1, options: [] }, names)).toBeNull();
    expect(givenCommand({ name: "ping", type: 1, options: [] }, names)).toBeNull();
  });

  it("is one line, whatever a client sends", () => {
    const given = options({ finding: "f1", reason: "one\ntwo\u2028three\u0000" });
    expect(commandLine({ verb: "dismiss", options: given })).toBe("dismiss f1 one two three");
  });
});

/** What people may fill in, without what the grammar itself gives another meaning: full-width forms, `name:` of an option, quotes. */
const plain = fc
  .stringMatching(/^[\p{L}\p{N}][\p{L}\p{N} ._/*#@!+=-]{0,30}$/u)
  .map((text) => text.normalize("NFKC").trim())
  .filter((text) => text !== "" && !/[\uFF01-\uFF5E]/u.test(text));
const glob = plain.filter((text) => !text.includes(" "));

describe("what the core reads", () => {
  it("is what was filled in: a review", () => {
    const given = fc.record({
      repo: fc.constantFrom(...repositories),
      rev: fc.option(plain),
      agent: fc.option(plain),
      paths: fc.array(glob, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(given, ({ repo, rev, agent, paths }) => {
        const values = {
          repo,
          ...(rev === null ? {} : { rev }),
          ...(agent === null ? {} : { agent }),
          ...(paths.length === 0 ? {} : { path: paths.join(" ") }),
        };
        const parsed = parseCommand(commandLine({ verb: "review", options: options(values) }), repositories);
        expect(parsed).toEqual({
          ok: true,
          command: { verb: "review", repository: repo, rev: rev ?? "", ...(agent === null ? {} : { agent }), paths },
        });
      }),
    );
  });

  it("is what was filled in: a subscription", () => {
    const given = fc.record({
      repo: fc.constantFrom(...repositories),
      branches: fc.array(glob, { maxLength: 3 }),
      notAuthors: fc.array(glob, { maxLength: 3 }),
      mode: fc.constantFrom("report", "audit"),
      severity: fc.constantFrom("info", "low", "medium", "high", "critical"),
      digest: fc.constantFrom("0 9 * * 1-5", "30 8 * * 1"),
    });
    fc.assert(
      fc.property(given, ({ repo, branches, notAuthors, mode, severity, digest }) => {
        const values = {
          repo,
          branch: branches.join(" "),
          author: notAuthors.map((one) => `-${one}`).join(" "),
          mode,
          severity,
          digest,
        };
        const parsed = parseCommand(commandLine({ verb: "subscribe", options: options(values) }), repositories);
        expect(parsed).toMatchObject({
          ok: true,
          command: {
            verb: "subscribe",
            repository: repo,
            filters: { branches, notAuthors, paths: [], authors: [] },
            terms: { mode, severity, digest },
          },
        });
      }),
    );
  });

  it("is what was filled in: a reason, with any signs in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), (reason) => {
        const filled = reason.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
        fc.pre(filled !== "" && !/^["'“„‘「『«]/u.test(filled));
        const parsed = parseCommand(
          commandLine({ verb: "dismiss", options: options({ finding: "f1", reason }) }),
          repositories,
        );
        expect(parsed).toEqual({ ok: true, command: { verb: "dismiss", finding: "f1", reason: filled } });
      }),
    );
  });

  it("is right for every verb whose options are filled in as their samples say", () => {
    const samples: Readonly<Record<string, string>> = {
      repo: "demo",
      rev: "HEAD",
      review: "rv_1",
      duration: "2h",
      state: "open",
      finding: "f1",
      reason: "it is meant so",
      user: "alice",
      agent: "checks",
      lang: "vi",
      branch: "main -wip/**",
      path: "src/**",
      author: "alice",
      mode: "audit",
      severity: "high",
      no_problems: "publish",
      mention: "author",
      digest: "0 9 * * 1-5",
      tz: "Asia/Shanghai",
      quiet: "22:00-08:00",
      since: "7d",
    };
    for (const verb of ["review" as const, ...subCommands]) {
      const filled = optionsOf(verb).map(({ name }) => ({ name, value: samples[name] ?? "" }));
      expect(filled.every(({ value }) => value !== "")).toBe(true);
      const parsed = parseCommand(commandLine({ verb, options: filled }), repositories);
      expect(parsed, verb).toMatchObject({ ok: true, command: { verb } });
    }
    expect(subCommands).toHaveLength(17);
  });
});

describe("autocompletion", () => {
  function asked(verb: "review" | "subscribe" | "status", ...given: readonly GivenOption[]) {
    return completion({ verb, options: given });
  }

  it("asks the core for the line so far, and takes the option's values out of its lines", () => {
    const repo = asked("review", { name: "repo", value: "ga", focused: true });
    expect(repo?.line).toBe("review ga");
    const lines = ["review demo", "review game", "review game-server", "review game HEAD", "game"];
    expect(repo?.valuesOf(lines)).toEqual(["game", "game-server"]);
    const rev = asked("review", { name: "repo", value: "game" }, { name: "rev", value: "fe", focused: true });
    expect(rev?.line).toBe("review game fe");
    expect(rev?.valuesOf(["review game feature/x", "review game main", "review demo fe"])).toEqual(["feature/x"]);
    const sub = asked("subscribe", { name: "repo", value: "", focused: true });
    expect(sub?.line).toBe("subscribe ");
    expect(sub?.valuesOf(["subscribe demo", "unsubscribe demo"])).toEqual(["demo"]);
    const agent = asked("review", { name: "repo", value: "demo" }, { name: "agent", value: "", focused: true });
    expect(agent?.line).toBe("review demo agent:");
    expect(agent?.valuesOf(["review demo agent:checks", "review demo agent:model"])).toEqual(["checks", "model"]);
  });

  it("offers at most 25 values of at most 100 characters, each once", () => {
    const repo = asked("review", { name: "repo", value: "r", focused: true });
    const many = Array.from({ length: 40 }, (_, index) => `review r${index}`);
    expect(repo?.valuesOf([...many, ...many])).toHaveLength(25);
    expect(repo?.valuesOf([`review r${"x".repeat(100)}`, `review r${"x".repeat(99)}`])).toEqual([`r${"x".repeat(99)}`]);
  });

  it("offers nothing for what is free text, or where nothing is filled in", () => {
    expect(asked("subscribe", { name: "digest", value: "0", focused: true })).toBeNull();
    expect(asked("review", { name: "repo", value: "demo" })).toBeNull();
    expect(asked("review", { name: "gone", value: "demo", focused: true })).toBeNull();
  });
});
