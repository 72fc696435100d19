// Who may push over HTTP: what a source needs, whom its secret speaks for, and the line of every mistake.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { AppError } from "../../../src/core/errors.ts";

const repositories = `repositories:
  - { alias: game, url: "https://git.example.com/team/game.git" }
  - { alias: shop, path: ../shop }
  - { alias: tools, vcs: svn, url: "https://svn.example.com/tools" }
  - { alias: lib, vcs: svn, url: "https://svn.example.com/lib" }
`;
const env = { HOOK: "hook secret", KEY: "key", SAME: "key" };

function mistakes(text: string, server = ""): readonly string[] {
  try {
    parseConfig(`${server}${repositories}${text}`, "bot.yaml", env);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return thrown.message.split("\n").map((line) => line.replace(/^bot\.yaml:/, ""));
  }
  return [];
}

describe("webhooks", () => {
  it("abuse 4: without a secret does not start, and its line is named", () => {
    expect(mistakes("webhooks:\n  - provider: github\n    repositories: [game]\n")).toEqual([
      "7:5 webhooks[0] has no secret_env: without a secret anybody could send pushes. Name the variable that holds it.",
    ]);
    expect(mistakes("webhooks:\n  - provider: github\n    secret_env: NONE\n    repositories: [game]\n")).toEqual([
      "8:17 The environment variable NONE is not set. Set it, or put it into .env beside this file.",
    ]);
    expect(mistakes("webhooks:\n  - { provider: github, insecure: false, repositories: [game] }\n")).toHaveLength(2);
  });

  it("abuse 4: insecure is for this machine alone", () => {
    const open = "webhooks:\n  - { provider: github, insecure: true, repositories: [game] }\n";
    expect(mistakes(open)).toEqual([]);
    expect(mistakes(open, "server: { host: '::1' }\n")).toEqual([]);
    for (const server of [
      "{ public_url: 'https://x.example' }",
      "{ host: 0.0.0.0, public_url: 'https://x.example' }",
    ]) {
      expect(mistakes(open, `server: ${server}\n`)).toEqual([
        "8:35 webhooks[0].insecure is for this machine alone: use a secret_env where server.host or server.public_url lets others in.",
      ]);
    }
    expect(
      mistakes("webhooks:\n  - { provider: github, insecure: true, secret_env: HOOK, repositories: [game] }\n"),
    ).toEqual(["7:35 webhooks[0] has both a secret_env and insecure; keep the secret."]);
  });

  it.each([
    ["an unknown host", "provider: githib", "repositories: [game]", /must be one of github, .*Did you mean github\?$/],
    [
      "no repository",
      "provider: github",
      "repositories: []",
      /webhooks\[0\].repositories must have at least 1 entries/,
    ],
    [
      "an unknown repository",
      "provider: github",
      "repositories: [gmae]",
      /There is no repository gmae. Did you mean game/,
    ],
    ["no git repository", "provider: github", "repositories: [tools]", /tools is no git repository; see triggers\.$/],
    ["no name to know it by", "provider: github", "repositories: [shop]", /Say it: names: \{ shop: owner\/name \}\.$/],
    ["a name too many", "provider: github", "repositories: [game]\n    names: { shop: a/b }", /which is not in its/],
    [
      "the secret itself",
      "provider: github\n    secret: x",
      "repositories: [game]",
      /name the variable with secret_env/,
    ],
  ])("names the line of %s", (_, provider, list, expected) => {
    const found = mistakes(`webhooks:\n  - ${provider}\n    secret_env: HOOK\n    ${list}\n`);
    expect(found).toEqual([expect.stringMatching(expected)]);
  });
});

describe("triggers", () => {
  it.each([
    ["no key", "{ repository: tools }", /api_key_env is missing/],
    ["a key that is not set", "{ repository: tools, api_key_env: NONE }", /variable NONE is not set/],
    ["another system", "{ repository: game, api_key_env: KEY }", /is for repositories with vcs: svn; game has another/],
    ["an unknown repository", "{ repository: x, api_key_env: KEY }", /There is no repository x/],
  ])("names the line of %s", (_, entry, expected) => {
    expect(mistakes(`triggers:\n  svn:\n    - ${entry}\n`)).toEqual([expect.stringMatching(expected)]);
  });

  it("refuses two repositories with one key, which could not be told apart", () => {
    const both = "- { repository: tools, api_key_env: KEY }\n    - { repository: lib, api_key_env: SAME }";
    expect(mistakes(`triggers:\n  svn:\n    ${both}\n`)).toEqual([
      "9:39 triggers.svn[1] has the key of triggers.svn[0]; each needs a key of its own.",
    ]);
  });
});

describe("what the product gets", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "aicr-push-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is the secrets, and the names that hosts use", async () => {
    const text = `${repositories}webhooks:
  - { provider: gitlab, secret_env: HOOK, repositories: [game, shop], names: { shop: [a/shop, b/shop] } }
  - { provider: gitee, insecure: true, repositories: [game], names: { game: 游戏/game } }
triggers:
  svn: [{ repository: tools, api_key_env: KEY }]
`;
    writeFileSync(path.join(folder, "aicr-bot.yaml"), text);
    const config = await loadConfig({ cwd: folder, env });
    const url = "https://git.example.com/team/game.git";
    expect(config.webhooks).toEqual([
      {
        provider: "gitlab",
        secret: "hook secret",
        repositories: [
          { alias: "game", names: ["team/game"], url },
          { alias: "shop", names: ["a/shop", "b/shop"] },
        ],
      },
      { provider: "gitee", secret: null, repositories: [{ alias: "game", names: ["游戏/game"], url }] },
    ]);
    expect(config.triggers).toEqual([{ vcs: "svn", repository: "tools", apiKey: "key" }]);
    expect(config.secrets).toEqual(["hook secret", "key"]);
  });
});
