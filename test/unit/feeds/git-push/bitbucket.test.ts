// Bitbucket Cloud's and Bitbucket Server's webhooks on one path: several refs in one event, each a push of its own.
import { describe, expect, it } from "vitest";
import { A, B, hex, post, receiver, source, ZERO } from "../pushes.ts";

const C = "c".repeat(40);

const branch = (name: string, hash: string) => ({
  type: "branch",
  name,
  target: { type: "commit", hash, parents: [] },
});
const tag = (name: string, hash: string) => ({ type: "tag", name, target: { type: "commit", hash } });

function cloud(...changes: unknown[]) {
  return {
    repository: {
      type: "repository",
      full_name: "team/game",
      links: { html: { href: "https://bitbucket.org/team/game" }, self: { href: "https://api.bitbucket.org/x" } },
      name: "game",
      uuid: "{4b4b0b8b-1111-2222-3333-444455556666}",
    },
    actor: { display_name: "Alice", nickname: "alice" },
    push: { changes },
  };
}

function server(...changes: unknown[]) {
  return {
    eventKey: "repo:refs_changed",
    date: "2017-09-19T09:58:11+1000",
    actor: { name: "alice", id: 2 },
    repository: { slug: "game", id: 84, name: "game", project: { key: "TEAM", id: 84, name: "Team" }, public: false },
    changes,
  };
}

const changed = (id: string, fromHash: string, toHash: string, type: string) => ({
  ref: { id, displayId: id.replace(/^refs\/[^/]+\//, ""), type: id.startsWith("refs/tags/") ? "TAG" : "BRANCH" },
  refId: id,
  fromHash,
  toHash,
  type,
});

async function send(event: string, payload: unknown, headers: Readonly<Record<string, string>> = {}) {
  const { post: deliver, pushes } = receiver(source("bitbucket"));
  const body = JSON.stringify(payload);
  const given = { "x-event-key": event, "x-hub-signature": `sha256=${hex(body)}`, ...headers };
  return { answer: await deliver(post({ provider: "bitbucket", body, headers: given })), pushes };
}

describe("Bitbucket Cloud", () => {
  it("tells of several refs at once, each a delivery of its own", async () => {
    const payload = cloud(
      { old: branch("main", A), new: branch("main", B), forced: false, truncated: true, commits: [{ hash: B }] },
      { old: null, new: branch("feature/дом", B), created: true },
      { old: branch("old", A), new: null, closed: true },
      { old: null, new: tag("v1", C), created: true },
    );
    const { answer, pushes } = await send("repo:push", payload, { "x-request-uuid": "4b4b", "x-attempt-number": "1" });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ accepted: true, reviewId: expect.any(String), reviewIds: expect.any(Array) });
    const facts = { repository: "game", source: "bitbucket" };
    expect(pushes).toEqual([
      { ...facts, ref: "refs/heads/main", before: A, head: B, deliveryId: "4b4b game refs/heads/main" },
      { ...facts, ref: "refs/heads/feature/дом", head: B, deliveryId: "4b4b game refs/heads/feature/дом" },
      { ...facts, ref: "refs/heads/old", before: A, head: ZERO, deliveryId: "4b4b game refs/heads/old" },
      { ...facts, ref: "refs/tags/v1", head: C, deliveryId: "4b4b game refs/tags/v1" },
    ]);
  });

  it("E1: a lone deletion has no review, and an event without changes none either", async () => {
    const { answer, pushes } = await send("repo:push", cloud({ old: branch("old", A), new: null }));
    expect(answer.body).toEqual({ accepted: true, reason: "deleted" });
    expect(pushes).toHaveLength(1);
    expect((await send("repo:push", cloud())).answer.body).toEqual({ accepted: true, reason: "nothing_pushed" });
  });

  it.each([
    ["a name with a line break", { old: null, new: branch("a\nb", B) }],
    ["a short id", { old: null, new: branch("a", "bbbb") }],
    ["no target", { old: null, new: { type: "branch", name: "a" } }],
  ])("a change with %s is refused", async (_, change) => {
    const { answer, pushes } = await send("repo:push", cloud(change));
    expect([answer.status, pushes]).toEqual([400, []]);
  });
});

describe("Bitbucket Server", () => {
  it("tells of ids alone", async () => {
    const payload = server(
      changed("refs/heads/main", A, B, "UPDATE"),
      changed("refs/heads/new", ZERO, B, "ADD"),
      changed("refs/heads/old", A, ZERO, "DELETE"),
    );
    const { answer, pushes } = await send("repo:refs_changed", payload, { "x-request-id": "e1" });
    expect(answer.status).toBe(202);
    expect(pushes.map(({ ref, before, head }) => [ref, before, head])).toEqual([
      ["refs/heads/main", A, B],
      ["refs/heads/new", undefined, B],
      ["refs/heads/old", A, ZERO],
    ]);
  });

  it("tries the address with a ping, which has to be signed as well", async () => {
    const { answer } = await send("diagnostics:ping", { test: true });
    expect(answer).toEqual({ status: 202, body: { accepted: true, reason: "ping" } });
    expect((await send("diagnostics:ping", { test: true }, { "x-hub-signature": "" })).answer.status).toBe(401);
  });
});

it.each(["", "sha1=00", `sha256=${"0".repeat(64)}`])("abuse 1: the signature %j is refused", async (signature) => {
  const { answer, pushes } = await send("repo:push", cloud(), { "x-hub-signature": signature });
  expect([answer.status, pushes]).toEqual([401, []]);
});

it("other events are left alone", async () => {
  const { answer } = await send("pullrequest:created", cloud());
  expect(answer.body).toEqual({ accepted: true, reason: "not_a_push" });
});
