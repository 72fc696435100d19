// Credentials are found, stand-ins are not, and no message repeats a secret.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlaceholder, isSecretLiteral } from "../../../../../src/agents/checks/inspectors/secret-rules.ts";
import { createSecretInspector, findSecrets } from "../../../../../src/agents/checks/inspectors/secrets.ts";

/** Put together at run time, so that this file holds nothing that looks like a credential. */
const glue = (...pieces: readonly string[]): string => pieces.join("");

describe("findSecrets", () => {
  it.each([
    ["aws-access-key", glue("AKI", "AQ3EGRBHTZ5MXW2PD")],
    ["slack-token", glue("xox", "b-172837465012-918273645012-", "pQ8vT2kLm5ZrXw9NbYc4Hd7J")],
    ["gitlab-token", glue("glp", "at-Zk8vQ2rTn5wXp7LmHd3J")],
    [
      "discord-webhook",
      glue(
        "https://discord.com/api/web",
        "hooks/918273645091827364/",
        "pQ8vT2kLm5ZrXw9NbYc4Hd7JpQ8vT2kLm5ZrXw9NbYc4Hd7JsFgRtYuHnMkLpZ",
      ),
    ],
    ["npm-token", glue("npm", "_pQ8vT2kLm5ZrXw9NbYc4Hd7JsGgRtHuNzMkW")],
  ])("finds %s and does not repeat it", (rule, secret) => {
    const found = findSecrets("src/a.ts", `const a = 1;\nconst b = "${secret}";\n`);
    expect(found).toMatchObject([{ rule: `secret/${rule}`, line: 2, category: "security" }]);
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it("accepts the vendors' own examples", () => {
    expect(findSecrets("src/a.ts", `const id = "${glue("AKIA", "IOSFODNN7EXAMPLE")}";`)).toEqual([]);
  });

  it("leaves literals of tests and documents alone, but not a provider's token", () => {
    const literal = 'password: "vR7#kqP2!mZx9w"';
    expect(findSecrets("src/a.js", literal)).toHaveLength(1);
    for (const path of ["test/a.js", "docs/a.md", "config.example.yml", "src/__tests__/a.ts"])
      expect(findSecrets(path, literal)).toEqual([]);
    expect(findSecrets("test/a.js", glue("glp", "at-Zk8vQ2rTn5wXp7LmHd3J"))).toHaveLength(1);
  });

  it("stays linear on long lines", () => {
    const start = performance.now();
    findSecrets("src/a.js", `${"token_".repeat(40_000)}\n${"a=".repeat(100_000)}\n${"-----BEGIN ".repeat(20_000)}`);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe("secretlint in process", () => {
  it("adds what the preset knows, masked", async () => {
    const secret = glue("gh", "p_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx");
    const side = { root: "/nowhere", files: [{ path: "a.js", text: `x\nconst t = "${secret}";\n` }] };
    const { complaints, engines } = await createSecretInspector().inspect(side, new AbortController().signal);
    expect(engines).toEqual({ secretlint: { status: "ok" } });
    expect(complaints).toMatchObject([{ line: 2 }]);
    expect(JSON.stringify(complaints)).not.toContain(secret);
  });
});

describe("placeholders", () => {
  it.each([
    "changeme",
    "your-token-here",
    "xxxxxxxxxxxxxxxx",
    `$\{TOKEN}`,
    "<token>",
    "process.env.TOKEN",
    "0123456789abcdef0123456789abcdef",
    "%s-secret",
  ])("%s", (value) => expect(isPlaceholder(value)).toBe(true));

  it("no name or sentence is a secret, whatever its words", () => {
    const word = fc.stringMatching(/^[A-Za-z]{2,10}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.constantFrom("-", "_", ".", " "),
        (words, joint) => {
          expect(isSecretLiteral("token", words.join(joint))).toBe(false);
        },
      ),
    );
  });
});
