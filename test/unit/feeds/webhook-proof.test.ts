// What webhooks refuse before they believe anything: the rows of the abuse table, each as a sender would try it.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { createWebhooks } from "../../../src/feeds/webhooks.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { acceptance, B, clock, game, github, githubPush, hex, post, receiver, source } from "./pushes.ts";
import { viaWeb } from "./web-request.ts";

const refused = {
  status: 401,
  body: {
    error: {
      code: "auth",
      message: "The request proves nothing for a repository that is configured here.",
      remedy: "Give the webhook the secret of a source that names this repository.",
    },
  },
};

const body = JSON.stringify(githubPush());
const right = hex(body);

describe("abuse 1: a signature that is", () => {
  it.each([
    ["wrong", `sha256=${hex(body, "another secret")}`],
    ["short", `sha256=${right.slice(0, 63)}`],
    ["long", `sha256=${right}0`],
    ["empty, as a host without a secret sends it", "sha256="],
    ["missing its prefix", right],
    ["doubled", `sha256=${right}, sha256=${right}`],
    ["doubled without a prefix", `sha256=${right}${right}`],
    ["in capitals", `sha256=${right.toUpperCase()}`],
    ["no hexadecimal", `sha256=${"z".repeat(64)}`],
    ["base64", `sha256=${Buffer.from(right, "hex").toString("base64")}`],
  ])("%s is refused", async (_, signature) => {
    const { post: send, pushes } = receiver(source("github"));
    expect(await send(github(githubPush(), { "x-hub-signature-256": signature }))).toEqual(refused);
    expect(pushes).toEqual([]);
  });

  it("missing or malformed is refused before the body is read, and wrong before it is parsed", async () => {
    const { routes } = receiver(source("github"));
    const headers = { "x-github-event": "push" };
    const unread = post({ provider: "github", body, headers });
    expect((await viaWeb(routes)(unread)).status).toBe(401);
    expect(unread.bodyUsed).toBe(false);
    const parse = vi.spyOn(JSON, "parse");
    const wrong = { ...headers, "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
    expect((await viaWeb(routes)(post({ provider: "github", body: "{", headers: wrong }))).status).toBe(401);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it("one bit off, in body or signature, is refused", async () => {
    const { post: send, pushes } = receiver(source("github"));
    const flips = fc.record({ inBody: fc.boolean(), at: fc.nat(), bit: fc.nat(7) });
    await fc.assert(
      fc.asyncProperty(flips, async ({ inBody, at, bit }) => {
        const bytes = Buffer.from(inBody ? body : right);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
        // What no header can hold never arrives.
        fc.pre(inBody || /^[\x21-\x7e]+$/.test(bytes.toString("latin1")));
        const signature = inBody ? right : bytes.toString("latin1");
        const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` };
        expect(await send(post({ provider: "github", body: inBody ? bytes : body, headers }))).toEqual(refused);
      }),
      { numRuns: 200 },
    );
    expect(pushes).toEqual([]);
  });
});

it("abuse 2: the old signature by sha1 alone is refused", async () => {
  const { post: send } = receiver(source("github"));
  const headers = { "x-github-event": "push", "x-hub-signature": "sha1=d5ab0c9a9b2f1a4d1c5e1b9d4a6c8f0e2b3a4c5d" };
  expect(await send(post({ provider: "github", body, headers }))).toEqual(refused);
  expect(await send(post({ provider: "bitbucket", body, headers }))).toMatchObject({ status: 404 });
  const other = receiver(source("bitbucket"));
  expect(await other.post(post({ provider: "bitbucket", body, headers }))).toEqual(refused);
});

describe("abuse 3: a valid body with the secret of another repository", () => {
  const shop = { alias: "shop", names: ["team/shop"], url: "https://git.example.com/team/shop.git" };
  const sources = [source("github"), source("github", { secret: "shop secret", repositories: [shop] })];

  it("is refused with the words for a wrong signature", async () => {
    const { post: send, pushes } = receiver(...sources);
    expect(await send(github(githubPush(), {}, "shop secret"))).toEqual(refused);
    expect(pushes).toEqual([]);
  });

  it("is refused with the same words when the repository is unknown, also for a ping", async () => {
    const { post: send } = receiver(...sources);
    const repository = { full_name: "team/unknown", clone_url: "https://git.example.com/team/unknown.git" };
    expect(await send(github(githubPush({ repository })))).toEqual(refused);
    expect(await send(github({ zen: "x", repository }, { "x-github-event": "ping" }))).toEqual(refused);
  });

  it("every secret is tried, and all repositories of those that fit count", async () => {
    const { post: send, pushes } = receiver(
      source("github", { secret: "old" }),
      source("github", { secret: "shared", repositories: [shop] }),
      source("github", { secret: "shared" }),
    );
    expect(await send(github(githubPush(), {}, "old"))).toMatchObject({ status: 202 });
    expect(await send(github(githubPush({ after: "c".repeat(40) }), {}, "shared"))).toMatchObject({ status: 202 });
    expect(pushes.map(({ repository }) => repository)).toEqual(["game", "game"]);
  });

  it("of another host's provider is refused too", async () => {
    const { post: send } = receiver(source("github"), source("gitea", { secret: "gitea secret" }));
    expect(await send(github(githubPush(), {}, "gitea secret"))).toEqual(refused);
  });
});

describe("abuse 4: a source without a secret", () => {
  it("is no source when the secret is empty", () => {
    const make = () =>
      createWebhooks({
        sources: [source("github", { secret: "" })],
        acceptPush: acceptance().accept,
        clock,
        logger: silentLogger,
      });
    expect(make).toThrow(AppError);
  });

  it("believes this machine's own programs, and nobody behind a proxy", async () => {
    const { post: send, pushes } = receiver(source("github", { secret: null }));
    const headers = { "x-github-event": "push" };
    expect(await send(post({ provider: "github", body, headers, peer: "remote" }))).toEqual(refused);
    expect(await send(post({ provider: "github", body, headers, peer: "loopback" }))).toMatchObject({ status: 202 });
    expect(pushes).toMatchObject([{ repository: "game", head: B }]);
  });

  it("opens no repository of a source that has one", async () => {
    const shop = { alias: "shop", names: ["team/shop"] };
    const { post: send } = receiver(source("github"), source("github", { secret: null, repositories: [shop] }));
    const headers = { "x-github-event": "push" };
    expect(await send(post({ provider: "github", body, headers, peer: "loopback" }))).toEqual(refused);
  });
});

it("abuse 5: the same body under a new delivery id is a no-op", async () => {
  const { post: send } = receiver(source("github"));
  expect((await send(github(githubPush(), { "x-github-delivery": "one" }))).body).toHaveProperty("reviewId");
  expect(await send(github(githubPush(), { "x-github-delivery": "two" }))).toEqual({
    status: 202,
    body: { accepted: true, reason: "duplicate" },
  });
});

it("E2: the same delivery id again is a no-op", async () => {
  const { post: send, pushes } = receiver(source("github"));
  await send(github());
  expect(await send(github())).toEqual({ status: 202, body: { accepted: true, reason: "duplicate" } });
  expect(pushes[1]?.deliveryId).toBe(pushes[0]?.deliveryId);
});

describe("abuse 10: a body that is", () => {
  it.each([
    ["compressed", { "content-encoding": "gzip" }, "application/json"],
    ["said to be as it is", { "content-encoding": "identity" }, "application/json"],
    ["text", {}, "text/plain"],
    ["of no type", {}, ""],
    ["of several parts", {}, "multipart/form-data; boundary=x"],
    ["in another charset", {}, "application/json; charset=utf-16"],
  ])("%s is refused unread", async (_, headers, mediaType) => {
    const { routes } = receiver(source("github"));
    const signed = { "x-hub-signature-256": `sha256=${right}`, "x-github-event": "push" };
    const request = post({ provider: "github", body, headers: { ...signed, ...headers }, mediaType });
    expect((await viaWeb(routes)(request)).status).toBe(415);
    expect(request.bodyUsed).toBe(false);
  });

  it("JSON with its charset is fine", async () => {
    const { post: send } = receiver(source("github"));
    const headers = { "x-hub-signature-256": `sha256=${right}`, "x-github-event": "push" };
    const request = post({ provider: "github", body, headers, mediaType: 'Application/JSON; charset="UTF-8"' });
    expect(await send(request)).toMatchObject({ status: 202 });
  });
});

describe("abuse 11: JSON with", () => {
  async function send(text: string | Buffer) {
    const { post: deliver, pushes } = receiver(source("github"));
    const headers = { "x-hub-signature-256": `sha256=${hex(text)}`, "x-github-event": "push" };
    const answer = await deliver(post({ provider: "github", body: text, headers }));
    return { answer, pushes };
  }

  it.each([
    ["100,000 lists in each other", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["100,000 objects in each other", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["a million lists in each other", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
    ["2,000 lists in a field", body.replace("{", `{"x":${"[".repeat(2_000)}${"]".repeat(2_000)},`)],
    ["a prototype", body.replace("{", '{"__proto__":{"polluted":true},')],
    ["a prototype deep inside", body.replace('"pusher":{', '"pusher":{"__proto__":{"polluted":true},')],
    ["a prototype in disguise", body.replace("{", '{"__pr\\u006fto__":{"polluted":true},')],
    ["no end", body.slice(0, -1)],
    ["nothing", ""],
    ["a bare text", '"push"'],
    ["no object", "null"],
    ["bytes that are no UTF-8", Buffer.concat([Buffer.from(body.slice(0, -1)), Buffer.from([0xff]), Buffer.from("}")])],
  ])("%s is refused and pollutes nothing", async (_, text) => {
    const { answer, pushes } = await send(text);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "bad_request" } } });
    expect(pushes).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("duplicate keys means what its signed bytes mean: the last one counts", async () => {
    const { answer, pushes } = await send(body.replace("{", '{"after":"cccccccccccccccccccccccccccccccccccccccc",'));
    expect(answer.status).toBe(202);
    expect(pushes).toMatchObject([{ head: B }]);
  });

  it("many brackets in its texts is not deep", async () => {
    const text = JSON.stringify(githubPush({ compare: '[{"\\'.repeat(1_000) }));
    expect((await send(text)).answer.status).toBe(202);
  });
});

it("other methods than POST are refused", async () => {
  const { routes } = receiver(source("github"));
  const answer = await viaWeb(routes)(new Request("http://127.0.0.1/webhooks/github?payload=%7B%7D"));
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
});

it("nothing is acknowledged before every push is durable", async () => {
  const durable: (() => void)[] = [];
  const routes = createWebhooks({
    sources: [source("github", { repositories: [game, { ...game, alias: "again" }] })],
    acceptPush: () => new Promise((resolve) => durable.push(() => resolve({ outcome: "coalesced" }))),
    clock,
    logger: silentLogger,
  });
  let status: number | undefined;
  const answered = viaWeb(routes)(github()).then((answer) => {
    status = answer.status;
  });
  await vi.waitFor(() => expect(durable).toHaveLength(2));
  durable[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(status).toBeUndefined();
  durable[1]?.();
  await answered;
  expect(status).toBe(202);
});

it("a fault of the store is no 2xx", async () => {
  const unavailable = new AppError("unavailable", "The disk is full.", { remedy: "Free some space." });
  const routes = createWebhooks({
    sources: [source("github")],
    acceptPush: () => Promise.reject(unavailable),
    clock,
    logger: silentLogger,
  });
  await expect(viaWeb(routes)(github())).rejects.toBe(unavailable);
});

it("only providers with a source have a route", () => {
  const { routes } = receiver(source("gitee"), source("gitee"), source("github"));
  expect(routes.routes).toEqual(["/webhooks/github", "/webhooks/gitee"]);
});
