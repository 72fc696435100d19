// Secrets go, code stays: what must be masked, what must not, and the promises that hold for any text.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/telemetry/redact.ts";
import { secretGroups } from "../../../src/telemetry/secret-patterns.ts";

const { redact } = createRedactor();
/** Put together, so that no scanner takes this file for a leak. */
const t = (...parts: string[]): string => parts.join("");
const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
const begin = t("-----BEGIN ", "RSA PRIVATE KEY-----");
const end = t("-----END ", "RSA PRIVATE KEY-----");

describe("masks", () => {
  test.each<[string, string, string]>([
    ["a whole private key", `x ${begin}\n${body}\n${body}\n${end} y`, "x *** y"],
    ["a key in JSON", `{"key":"${begin}\\n${body}\\n${end}\\n"}`, '{"key":"***\\n"}'],
    ["a key that was cut off", `${begin}\nProc-Type: 4,ENCRYPTED\n\n${body}`, "***"],
    ["two keys with text between", `${begin}${body}${end} and ${begin}${body}${end}`, "*** and ***"],
    ["an AWS key id", t("id AKIA", "IOSFODNN7EXAMPLE."), "id ***."],
    ["an AWS secret by its name", "aws_secret_access_key = 'wJalrXUtnFEMI/K7MDENG'", "aws_secret_access_key = '***'"],
    ["a GitHub token", t("gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"), "***"],
    ["a fine-grained GitHub token", t("github", "_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv"), "***"],
    ["a GitLab token", t("gl", "pat-ABCDEFGHIJ1234567890"), "***"],
    ["a Slack bot token", t("xox", "b-123456789012-abcdefGHIJKL"), "***"],
    ["a Slack app token", t("xap", "p-1-A012345-678901234-abcdef0123456789"), "***"],
    [
      "a Slack webhook",
      t("https://hooks.slack", ".com/services/T000/B000/XXXXyyyy"),
      "https://hooks.slack.com/services/***",
    ],
    [
      "a Discord webhook",
      t("https://discord", ".com/api/webhooks/123456/abc-DEF_ghi"),
      "https://discord.com/api/webhooks/***",
    ],
    [
      "a Lark webhook",
      t("https://open.feishu", ".cn/open-apis/bot/v2/hook/aaaa-bbbb"),
      "https://open.feishu.cn/open-apis/bot/v2/hook/***",
    ],
    ["a Google key", t("AIz", "aSyA1234567890abcdefghijklmnopqrstuv"), "***"],
    ["an OpenAI key", t("sk", "-proj-abcdefghijklmnop1234567890"), "***"],
    ["an Anthropic key", t("sk", "-ant-api03-abcdefghijklmnop1234567890"), "***"],
    ["a JSON web token", t("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r"), "***"],
    ["a password in a URL", "postgres://bot:hunter2@db:5432/x", "postgres://bot:***@db:5432/x"],
    ["a token as the user of a URL", "https://abcdefghij0123456789@git.example.com/x", "https://***@git.example.com/x"],
    ["a quoted assignment", 'DB_PASSWORD="hunter2"', 'DB_PASSWORD="***"'],
    ["a quoted assignment with spaces inside", "password: 'correct horse battery'", "password: '***'"],
    ["an environment line", "DB_PASSWORD=correcthorse", "DB_PASSWORD=***"],
    ["an exported one", "export API_KEY=abc-def", "export API_KEY=***"],
    ["JSON", '{"client_secret":"s3cr3t","id":1}', '{"client_secret":"***","id":1}'],
    ["JSON in JSON", '"{\\"password\\": \\"s3cr3t\\"}"', '"{\\"password\\": \\"***\\"}"'],
    ["a query parameter", "GET /x?access_token=letmein&a=1", "GET /x?access_token=***&a=1"],
    ["a command line", "p4 login --password hunter -a", "p4 login --password *** -a"],
    ["YAML with a digit", "token: ab12cd34", "token: ***"],
    ["a Bearer header", "Authorization: Bearer abcdef", "Authorization: Bearer ***"],
    ["a Basic header in code", '"authorization": "Basic dXNlcjpwYXNz"', '"authorization": "Basic ***"'],
    ["a bare Bearer", "sent bearer abcdefghijklmnop1234", "sent bearer ***"],
    ["an API key header", "X-API-Key: 12345678", "X-API-Key: ***"],
    ["a cookie", "Cookie: session=abc; other=def", "Cookie: ***"],
  ])("%s", (_, text, expected) => expect(redact(text)).toBe(expected));
});

describe("leaves alone", () => {
  test.each([
    "const token = readToken(request);",
    "function login(password: string, token?: string) {}",
    "interface Config { readonly password: string; }",
    "password = os.environ['DB_PASSWORD']",
    t('password: "$', '{DB_PASSWORD}"'),
    "const API_TOKEN = getToken();",
    t("Authorization: Bearer $", "{token}"),
    "the secret of good code is restraint",
    "https://user@example.com/path",
    "see https://example.com:8080/a@b",
    "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
    "token bucket: 5 tokens",
    "commit 1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b",
    "src/auth/password.ts:12",
    "if (token === null) return;",
    "inputTokens: 1200",
  ])("%s", (text) => expect(redact(text)).toBe(text));
});

describe("what it learnt", () => {
  test("goes in every form, the longest first", () => {
    const redactor = createRedactor(["sesame"]);
    redactor.learn('open "sesame" & more');
    redactor.learn("  spaced out  ");
    expect(redactor.redact('a sesame b open "sesame" & more c')).toBe("a *** b *** c");
    expect(redactor.redact(`u=${encodeURIComponent('open "sesame" & more')}`)).toBe("u=***");
    expect(redactor.redact(JSON.stringify({ x: 'open "sesame" & more' }))).toBe('{"x":"***"}');
    expect(redactor.redact(Buffer.from("spaced out").toString("base64"))).toBe("***");
  });

  test("is not what is too short or masks itself", () => {
    const redactor = createRedactor(["abc", "", "******"]);
    expect(redactor.redact("abc ****** x")).toBe("abc ****** x");
  });

  test("is taken literally", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 4, maxLength: 30, unit: "binary" }),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          const value = secret.trim();
          fc.pre(value.length >= 4 && !/^\**$/.test(value));
          const text = createRedactor([secret]).redact(`${before} ${value} ${after}`);
          expect(text.includes(value) && !before.includes(value)).toBe(false);
        },
      ),
    );
  });
});

describe("for any text", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      begin,
      end,
      body,
      'DB_PASSWORD="',
      "token=",
      "Authorization: Bearer ",
      "://a:b@c",
      "://",
      "@",
      '"',
      "'",
      "\\",
      " ",
    ),
    fc.constantFrom(
      t("gh", "p_"),
      t("xox", "b-"),
      t("ey", "J"),
      "sk-",
      ".",
      "-",
      "***",
      "=",
      ": ",
      "a1b2c3d4e5f6g7h8i9",
      "\n",
      "cookie: ",
    ),
    fc.string(),
  );

  test("redacting twice is redacting once, and nothing throws", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        const once = redact(pieces.join(""));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  test("what a pattern matches always holds its group's hint", () => {
    const words = fc.constantFrom(
      ...[
        "hooks.slack-gov.com/services/T0",
        "DISCORDAPP.com/api/webhooks/1",
        "open.larkoffice.com/open-apis/bot/hook/x",
      ],
      ...["oapi.dingtalk.com/robot/send?access_token=x", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x"],
      ...["ABIA", "ACCA", "npm_", "pypi-", "dckr_oat_", "xapp-", "ya29.", "GOCSPX-", "gsk_", "xai-", "rk_live_", "SG."],
      ...[
        "whsec_",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghij",
        "glsoat-",
        "cookie: ",
      ],
      ...["PWD=", "API_KEY=", "signing-key: ", "passphrase=", "encryptionkey: '", "--private_key ", "credentials: "],
      ...["proxy-authorization: digest ", "bearer\t", "x-hub-signature: ", "job-token: ", "://", "a1", "@", " ", '"'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, piece), { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        for (const { hint, patterns } of secretGroups) {
          if (hint.test(text)) continue;
          for (const { pattern } of patterns) expect(text.search(pattern), String(pattern)).toBe(-1);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("time grows with length, not faster", () => {
    const units = [
      begin,
      `${begin}\n`,
      t("ey", "J-"),
      "://a:",
      "a@",
      "password",
      "password=",
      "x-key-",
      "Bearer ",
      "token: a1",
      "A_",
      "-",
      "cookie:",
      "sk-",
    ];
    for (const unit of units) {
      const cost = (length: number): number => {
        const text = unit.repeat(length / unit.length);
        const before = process.cpuUsage();
        redact(text);
        const spent = process.cpuUsage(before);
        return spent.user + spent.system;
      };
      cost(10_000);
      // Ten times the text in a second of CPU: a quadratic pattern would need minutes.
      expect(cost(300_000)).toBeLessThan(3_000_000);
    }
  });
});
