// What people get wrong: each mistake is named with its line, and all of them at once.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { AppError } from "../../../src/core/errors.ts";

function mistakes(text: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  try {
    parseConfig(text, "aicr-bot.yaml", env);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "config") throw thrown;
    expect(thrown.remedy).not.toBe("");
    return thrown.message.split("\n");
  }
  return [];
}

/** A file with one repository whose entry has these lines. */
function repository(...lines: string[]): string {
  return ["repositories:", "  - alias: game", ...lines.map((line) => `    ${line}`)].join("\n");
}

describe("one mistake", () => {
  test.each<[string, string, string]>([
    [
      "an unknown setting",
      "log:\n  levle: info\n",
      "aicr-bot.yaml:2:3 log.levle is not a setting. Did you mean level?",
    ],
    ["an unknown group", "sever:\n  port: 1\n", "aicr-bot.yaml:1:1 sever is not a setting. Did you mean server?"],
    [
      "nothing like it",
      "log:\n  colour: red\n",
      "aicr-bot.yaml:2:3 log.colour is not a setting. Settings here are: level.",
    ],
    ["a wrong kind", "server:\n  port: eight\n", 'aicr-bot.yaml:2:9 server.port must be a number, not "eight".'],
    ["a number out of bounds", "server:\n  port: 70000\n", "aicr-bot.yaml:2:9 server.port must be at most 65535."],
    [
      "no whole number",
      "limits:\n  concurrency: 1.5\n",
      "aicr-bot.yaml:2:16 limits.concurrency must be a whole number, not 1.5.",
    ],
    ["a value of no use", "language: fr\n", 'aicr-bot.yaml:1:11 language must be one of en, zh-CN, vi, not "fr".'],
    [
      "a misspelt value",
      "log:\n  level: wran\n",
      'aicr-bot.yaml:2:10 log.level must be one of debug, info, warn, error, silent, not "wran". Did you mean warn?',
    ],
    ["a list that is none", "repositories: game\n", 'aicr-bot.yaml:1:15 repositories must be a list, not "game".'],
    [
      "a missing setting",
      "repositories:\n  - path: x\n",
      "aicr-bot.yaml:2:5 repositories[0].alias is missing: give a text.",
    ],
    ["an empty value", "data_dir:\n", "aicr-bot.yaml:1:10 data_dir must be a text, not nothing."],
    ["a file that is a list", "- a\n", "aicr-bot.yaml:1:1 the file must be a group of settings, not a list."],
    [
      "a setting twice",
      "language: en\nlanguage: vi\n",
      "aicr-bot.yaml:2:1 This is no valid YAML: Map keys must be unique",
    ],
    [
      "no source",
      repository(),
      "aicr-bot.yaml:2:5 repositories[0] needs a path or a url: where its commits are read from.",
    ],
    [
      "two sources",
      repository("path: a", "url: https://x.example/y"),
      "aicr-bot.yaml:4:10 repositories[0] has both path and url; keep one of them.",
    ],
    [
      "Subversion without an address",
      repository("vcs: svn"),
      "aicr-bot.yaml:2:5 repositories[0] needs a url: the folder whose changes are reviewed.",
    ],
    [
      "Subversion with a path",
      repository("vcs: svn", "path: a"),
      "aicr-bot.yaml:4:11 repositories[0].path says nothing for vcs: svn, which needs a url: the folder whose changes are reviewed.",
    ],
    [
      "an address that Subversion does not know",
      repository("vcs: svn", "url: git@x.example:y"),
      "aicr-bot.yaml:4:10 repositories[0].url must begin with https://, svn://, svn+ssh:// or file://.",
    ],
    [
      "Perforce without its group",
      repository("vcs: p4"),
      "aicr-bot.yaml:2:5 repositories[0] needs a group p4 with port, user and depot_path.",
    ],
    [
      "Perforce's group for git",
      repository("path: a", "p4: { port: '1666', user: u, depot_path: //d/... }"),
      "aicr-bot.yaml:4:9 repositories[0].p4 says nothing for vcs: git, which needs a path or a url: where its commits are read from.",
    ],
    [
      "Perforce's password that is not set",
      repository("vcs: p4", "p4: { port: '1666', user: u, depot_path: //d/..., password_env: NO_P4 }"),
      "aicr-bot.yaml:4:69 The environment variable NO_P4 is not set. Set it, or put it into .env beside this file.",
    ],
    [
      "a fingerprint without a key",
      repository("vcs: p4", `p4: { port: '1666', user: u, depot_path: //d/..., fingerprint: "${"AB:".repeat(19)}AB" }`),
      "aicr-bot.yaml:4:68 repositories[0].p4.fingerprint needs a port that begins with ssl:.",
    ],
    [
      "a depot path that is none",
      repository("vcs: p4", "p4: { port: '1666', user: u, depot_path: /d }"),
      "aicr-bot.yaml:4:46 repositories[0].p4.depot_path must be a depot path such as //depot/game/...",
    ],
    [
      "paths outside of the depot path",
      `${repository("vcs: p4", "p4: { port: '1666', user: u, depot_path: //d/game/... }")}
subscriptions:
  - { repository: game, conversation: { channel: web, conversation: c }, watch_path: //d/other/... }`,
      "aicr-bot.yaml:6:86 //d/other/... lies outside of //d/game/..., which is the repository game.",
    ],
    [
      "operators who hear nothing",
      "operators: { channel: wbe, conversation: ops }",
      "aicr-bot.yaml:1:23 There is no channel wbe. Did you mean web?",
    ],
    [
      "an unknown agent",
      repository("path: a", "agent: cheks"),
      "aicr-bot.yaml:4:12 There is no agent cheks. Did you mean checks?",
    ],
    [
      "a bad name of a variable",
      repository("url: https://x.example/y", "credentials:", "  password_env: my token"),
      "aicr-bot.yaml:5:21 repositories[0].credentials.password_env must be the name of an environment variable, such as GAME_GIT_TOKEN.",
    ],
    [
      "a variable that is not set",
      repository("url: https://x.example/y", "credentials:", "  password_env: GAME_TOKEN"),
      "aicr-bot.yaml:5:21 The environment variable GAME_TOKEN is not set. Set it, or put it into .env beside this file.",
    ],
    [
      "a secret in the file",
      repository("url: https://x.example/y", "credentials:", "  password: hunter2"),
      "aicr-bot.yaml:5:7 repositories[0].credentials.password is not a setting. Secrets stand in the environment: name the variable with password_env.",
    ],
    [
      "a password in the url",
      repository("url: https://u:p@x.example/y"),
      "aicr-bot.yaml:3:10 repositories[0].url holds a password. Take it out, and name a variable with credentials.password_env.",
    ],
    [
      "an url without encryption",
      repository("url: http://x.example/y"),
      "aicr-bot.yaml:3:10 repositories[0].url would send everything unencrypted: use https.",
    ],
    [
      "an url that is an option",
      repository("url: --upload-pack=x"),
      "aicr-bot.yaml:3:10 repositories[0].url must be https://…, ssh://… or host:path.",
    ],
    [
      "an url that runs programs",
      repository('url: "ext::sh -c x"'),
      "aicr-bot.yaml:3:10 repositories[0].url must be https://…, ssh://… or host:path.",
    ],
    [
      "a file url",
      repository("url: file:///x"),
      "aicr-bot.yaml:3:10 repositories[0].url must begin with https:// or ssh://; for a local repository use path.",
    ],
    [
      "credentials of a path",
      repository("path: x", "credentials: { username: u }"),
      "aicr-bot.yaml:4:18 repositories[0].credentials belong to a url; a local path needs none.",
    ],
    [
      "an unknown placeholder",
      repository("path: x", "web: { commit: 'https://h/{sha}' }"),
      "aicr-bot.yaml:4:20 web.commit has {sha}, which stands for nothing; known are {rev}.",
    ],
    [
      "a missing placeholder",
      repository("path: x", "web: { file: 'https://h/{rev}' }"),
      "aicr-bot.yaml:4:18 web.file lacks {path}, so that every link would be the same.",
    ],
    [
      "a link that is none",
      repository("path: x", "web: { commit: 'javascript:{rev}' }"),
      "aicr-bot.yaml:4:20 repositories[0].web.commit must be an address that begins with https:// or http://.",
    ],
    [
      "an open host",
      "server:\n  host: 0.0.0.0\n",
      'aicr-bot.yaml:2:9 server.host "0.0.0.0" lets other machines in. Use 127.0.0.1, or set server.public_url to say that you mean it.',
    ],
    [
      "a public address with a path",
      "server:\n  public_url: https://h/bot\n",
      "aicr-bot.yaml:2:15 server.public_url must be a bare address such as https://bot.example.com.",
    ],
    [
      "a subscription to nothing",
      "repositories: [{ alias: game, demo: true }]\nsubscriptions:\n  - repository: gmae\n    conversation: { channel: web, conversation: c }\n",
      "aicr-bot.yaml:3:17 There is no repository gmae. Did you mean game?",
    ],
    [
      "an unknown channel",
      "repositories: [{ alias: game, demo: true }]\nsubscriptions:\n  - repository: game\n    conversation: { channel: wbe, conversation: c }\n",
      "aicr-bot.yaml:4:30 There is no channel wbe. Did you mean web?",
    ],
    [
      "globs that are none",
      "repositories: [{ alias: game, demo: true }]\nsubscriptions:\n  - repository: game\n    conversation: { channel: web, conversation: c }\n    path: 3\n",
      "aicr-bot.yaml:5:11 subscriptions[0].path must be a glob or a list of globs.",
    ],
  ])("%s", (_, text, expected) => expect(mistakes(text)).toEqual([expected]));

  test.each(["help", "status", "review", "Subscribe", "why"])("an alias that is the command word %s", (alias) => {
    const [only = ""] = mistakes(`repositories:\n  - { alias: ${alias}, demo: true }\n`);
    expect(only).toMatch(/^aicr-bot\.yaml:2:14 The alias \w+ is a word of the command language/);
  });

  test("an alias twice, in whatever case", () => {
    const text = "repositories:\n  - { alias: game, demo: true }\n  - { alias: Game, path: x }\n";
    expect(mistakes(text)).toEqual([
      "aicr-bot.yaml:3:14 The alias Game is already that of repositories[0]; give each repository its own.",
    ]);
  });
});

test("all mistakes at once, in the order of the file, of the schema and of the meaning", () => {
  const text = `
server:
  host: 0.0.0.0
  prot: 80
languge: en
repositories:
  - alias: help
    path: x
    vcs: cvs
  - alias: -x
subscriptions:
  - repository: nothing
limits: { concurrency: 0, keep_days: many }
`;
  const found = mistakes(text);
  expect(found.map((line) => line.split(" ", 2).join(" "))).toEqual([
    "aicr-bot.yaml:3:9 server.host",
    "aicr-bot.yaml:4:3 server.prot",
    "aicr-bot.yaml:5:1 languge",
    "aicr-bot.yaml:7:12 The",
    "aicr-bot.yaml:9:10 repositories[0].vcs",
    "aicr-bot.yaml:10:5 repositories[1]",
    "aicr-bot.yaml:10:12 repositories[1].alias",
    "aicr-bot.yaml:12:5 subscriptions[0].conversation",
    "aicr-bot.yaml:12:17 There",
    "aicr-bot.yaml:13:24 limits.concurrency",
    "aicr-bot.yaml:13:38 limits.keep_days",
  ]);
});

test("a long value is not repeated: it may be a secret in the wrong place", () => {
  expect(mistakes(`language: ${"s".repeat(40)}\n`)[0]).toContain("not this text");
});

test("anchors that explode are refused", () => {
  const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(", ")}]`);
  expect(mistakes(["a0: &a0 [x]", ...levels].join("\n"))).toEqual([
    "aicr-bot.yaml:1:1 The file repeats its anchors too often.",
  ]);
});

test("no text at all breaks the reader itself", () => {
  const piece = fc.constantFrom(
    "repositories:",
    "\n",
    "  ",
    "- ",
    "alias: x",
    "server: ",
    "{",
    "}",
    "[",
    "]",
    "null",
    "*a",
    "&a ",
    "!!x ",
    "'",
    "1",
    ": ",
    "channels:\n  web: ",
    "subscriptions:\n",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 14 }), (pieces) => {
      for (const line of mistakes(pieces.join(""))) expect(line).toMatch(/^aicr-bot\.yaml:\d+:\d+ \S/);
    }),
    { numRuns: 500 },
  );
});

describe("files that cannot be had", () => {
  test("a missing one, and a folder", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "config-"));
    await expect(loadConfig({ file: "no.yaml", cwd: folder, env: {} })).rejects.toMatchObject({
      code: "config",
      message: "no.yaml does not exist.",
    });
    await expect(loadConfig({ file: ".", cwd: folder, env: {} })).rejects.toMatchObject({ code: "config" });
    writeFileSync(path.join(folder, "big.yaml"), "#".repeat(1024 * 1024 + 1));
    await expect(loadConfig({ file: "big.yaml", cwd: folder, env: {} })).rejects.toThrow(/larger/);
    rmSync(folder, { recursive: true });
  });
});
