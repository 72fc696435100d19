// Pushes over real HTTP into a real store: what is acknowledged is there, once, and what is too much is cut off.
import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AcceptPush, createAcceptPush } from "../../src/app/accept-push.ts";
import type { SubscriptionId } from "../../src/core/ids.ts";
import { createTriggers } from "../../src/feeds/triggers.ts";
import { createWebhooks } from "../../src/feeds/webhooks.ts";
import type { HttpServerOptions } from "../../src/http/http-options.ts";
import { createHttpServer, type HttpServer } from "../../src/http/server.ts";
import { createIds } from "../../src/process/random-ids.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { silentLogger } from "../fakes/silent-logger.ts";
import { createTempStore, type TempStore } from "../fakes/temp-store.ts";

const clock = createFakeClock();
const secret = "hook secret";
const A = "a".repeat(40);
const B = "b".repeat(40);
const C = "c".repeat(40);
const ZERO = "0".repeat(40);

let temp: TempStore;
let options: HttpServerOptions;
let server: HttpServer | undefined;
let url: string;
let port: number;

beforeEach(async () => {
  temp = await createTempStore();
  const repositories = [
    { alias: "game", vcs: "git", agent: "checks", isPolled: false },
    { alias: "world", vcs: "p4", agent: "checks", isPolled: false },
  ] as const;
  await temp.store.registerRepositories(repositories, clock.now());
  const filters = { branches: [], notBranches: [], paths: [], notPaths: [], authors: [], notAuthors: [] };
  const acceptPush: AcceptPush = createAcceptPush({
    store: temp.store,
    subscriptions: {
      of: async (repository) => [
        {
          id: "sb_1" as SubscriptionId,
          locale: "en",
          origin: "configuration",
          conversation: { channel: "web", workspace: "local", conversation: "team" },
          repository,
          filters,
          mode: "report",
          severity: "info",
        },
      ],
      noProblems: () => "suppress",
    },
    repositories: new Map(repositories.map((one) => [one.alias, one])),
    locale: "en",
    clock,
    ids: createIds(clock),
    wake: () => undefined,
  });
  const game = { alias: "game", names: ["team/game"] };
  options = {
    host: "127.0.0.1",
    port: 0,
    channels: [
      createWebhooks({
        sources: [{ provider: "github", secret, repositories: [game] }],
        acceptPush,
        clock,
        logger: silentLogger,
      }),
      createTriggers({
        sources: [{ vcs: "p4", repository: "world", apiKey: "world key" }],
        acceptPush,
        logger: silentLogger,
      }),
    ],
    readiness: async () => ({ ok: true, detail: {} }),
    asset: async () => null,
    logger: silentLogger,
  };
  await listen({});
});

async function listen(limits: NonNullable<HttpServerOptions["limits"]>): Promise<void> {
  await server?.close();
  server = createHttpServer({ ...options, limits });
  ({ url, port } = await server.listen());
}

afterEach(async () => {
  await server?.close();
  server = undefined;
  await temp.remove();
});

function sign(body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

async function push(before: string, after: string, delivery: string, ref = "refs/heads/main") {
  const body = JSON.stringify({ ref, before, after, repository: { full_name: "team/game" } });
  const answer = await fetch(`${url}/webhooks/github`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-github-delivery": delivery,
      "x-hub-signature-256": sign(body),
    },
  });
  return { status: answer.status, body: (await answer.json()) as { reviewId?: string; reason?: string } };
}

/** Sends bytes as they are; resolves with all that comes back when the server closes the connection. */
function socket(head: readonly string[], send: (write: (part: string | Buffer) => void) => void): Promise<string> {
  return new Promise((resolve) => {
    const client = connect(port, "127.0.0.1");
    let text = "";
    client.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    client.on("error", () => undefined).on("close", () => resolve(text));
    client.write(`${["POST /webhooks/github HTTP/1.1", `Host: 127.0.0.1:${port}`, ...head].join("\r\n")}\r\n\r\n`);
    send((part) => void client.write(part));
  });
}

const reviews = () => temp.store.reviews({ repository: "game", limit: 100 });

describe("a push", () => {
  it("E2: is reviewed once, whether its delivery is repeated or comes under a new id", async () => {
    const first = await push(A, B, "one");
    expect(first).toEqual({ status: 202, body: { accepted: true, reviewId: expect.any(String) } });
    for (const delivery of ["one", "two"]) {
      const again = await push(A, B, delivery);
      expect([again.status, again.body.reviewId]).toEqual([202, undefined]);
    }
    expect((await reviews()).map(({ id }) => id)).toEqual([first.body.reviewId]);
  });

  it("E3: joins the review that waits for its ref, whose id is the answer", async () => {
    const first = await push(A, B, "one");
    const second = await push(B, C, "two");
    const other = await push(B, C, "three", "refs/heads/other");
    expect(second.body.reviewId).toBe(first.body.reviewId);
    expect(other.body.reviewId).not.toBe(first.body.reviewId);
    expect(await reviews()).toHaveLength(2);
  });

  it("E1: that deletes a branch is acknowledged, and nothing is reviewed", async () => {
    const answer = await push(A, ZERO, "one");
    expect(answer).toEqual({ status: 202, body: { accepted: true, reason: "deleted" } });
    expect(await reviews()).toEqual([]);
  });

  it("of Perforce comes by its trigger, once", async () => {
    const send = async () => {
      const answer = await fetch(`${url}/triggers/p4`, {
        method: "POST",
        body: new URLSearchParams({ change: "12345" }),
        headers: { "x-api-key": "world key" },
      });
      return { status: answer.status, body: (await answer.json()) as { reviewId?: string } };
    };
    expect(await send()).toEqual({ status: 202, body: { accepted: true, reviewId: expect.any(String) } });
    expect((await send()).body.reviewId).toBeUndefined();
    expect(await temp.store.reviews({ repository: "world", limit: 10 })).toHaveLength(1);
  });
});

describe("abuse 9: a body", () => {
  const signed = ["Content-Type: application/json", `X-Hub-Signature-256: sha256=${"0".repeat(64)}`];

  it("of 26 MB is refused by its length alone", async () => {
    const answer = await socket([...signed, "Content-Length: 27262976"], () => undefined);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  it("without a length and without an end is cut at the limit", async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    const answer = await socket([...signed, "Transfer-Encoding: chunked"], (write) => {
      for (let sent = 0; sent < 26; sent++) {
        write("100000\r\n");
        write(chunk);
        write("\r\n");
      }
    });
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });

  it("that trickles in is given up", async () => {
    await listen({ headersMs: 200, requestMs: 300 });
    expect(await socket([...signed, "Content-Length: 100"], (write) => write("{"))).toMatch(/^HTTP\/1.1 408 /);
    expect(await socket([...signed, "Transfer-Encoding: chunked"], (write) => write("1\r\n{\r\n"))).toMatch(
      /^HTTP\/1.1 408 /,
    );
  });

  it("without proof is not waited for", async () => {
    const answer = await socket(["Content-Type: application/json", "Content-Length: 20000000"], (write) => write("{"));
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });
});

it("abuse 10: a compressed body is refused", async () => {
  const head = ["Content-Type: application/json", "Content-Encoding: gzip", "Content-Length: 10"];
  expect(await socket([...head, "Connection: close"], (write) => write("0123456789"))).toMatch(/^HTTP\/1.1 415 /);
});

it("abuse 1: a signature that is sent in two headers is refused", async () => {
  const body = JSON.stringify({ ref: "refs/heads/main", before: A, after: B, repository: { full_name: "team/game" } });
  const head = [
    "Content-Type: application/json",
    "X-GitHub-Event: push",
    `X-Hub-Signature-256: ${sign(body)}`,
    `X-Hub-Signature-256: ${sign(body)}`,
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  expect(await socket(head, (write) => write(body))).toMatch(/^HTTP\/1.1 401 /);
});
