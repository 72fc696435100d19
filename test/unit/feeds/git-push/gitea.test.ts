// Gitea's and Forgejo's webhooks: the JSON is signed, in a form too, and their headers come in several families.
import { describe, expect, it } from "vitest";
import { A, B, githubPush, hex, post, receiver, source, ZERO } from "../pushes.ts";

const payload = githubPush({
  compare_url: "https://git.example.com/team/game/compare/a...b",
  total_commits: 51,
  // It spells the time of creation as text, and numbers its people.
  repository: {
    id: 140,
    name: "game",
    full_name: "Team/Game",
    html_url: "https://git.example.com/Team/Game",
    ssh_url: "ssh://gitea@git.example.com:2222/Team/Game.git",
    clone_url: "https://git.example.com/Team/Game.git",
    created_at: "2017-02-26T04:29:06-05:00",
  },
  pusher: { id: 1, login: "alice", username: "alice" },
});
const body = JSON.stringify(payload);

/** All families of headers, as both send them. */
function headersOf(signature: string, delivery = "f6266f16-1bf3-46a5-9ea4-602e06ead473") {
  return {
    "x-gitea-delivery": delivery,
    "x-gitea-event": "push",
    "x-gitea-event-type": "push",
    "x-gitea-signature": signature,
    "x-gogs-delivery": delivery,
    "x-gogs-event": "push",
    "x-gogs-signature": signature,
    "x-hub-signature": "sha1=d5ab0c9a9b2f1a4d1c5e1b9d4a6c8f0e2b3a4c5d",
    "x-hub-signature-256": `sha256=${signature}`,
    "x-github-delivery": delivery,
    "x-github-event": "push",
  };
}

const form = "application/x-www-form-urlencoded";

describe.each(["gitea", "forgejo"] as const)("a push of %s", (provider) => {
  it("comes as JSON; the host's spelling of the name may differ", async () => {
    const { post: send, pushes } = receiver(source(provider));
    const answer = await send(post({ provider, body, headers: headersOf(hex(body)) }));
    expect(answer).toMatchObject({ status: 202, body: { accepted: true, reviewId: expect.any(String) } });
    expect(pushes).toEqual([
      {
        repository: "game",
        ref: "refs/heads/main",
        before: A,
        head: B,
        source: provider,
        deliveryId: "f6266f16-1bf3-46a5-9ea4-602e06ead473",
      },
    ]);
  });

  it("comes as a form, whose field is signed and not the form", async () => {
    const { post: send, pushes } = receiver(source(provider));
    const fields = new URLSearchParams({ payload: body }).toString();
    const right = { provider, body: fields, mediaType: form, headers: headersOf(hex(body)) };
    expect(await send(post(right))).toMatchObject({ status: 202 });
    expect(await send(post({ ...right, headers: headersOf(hex(fields)) }))).toMatchObject({ status: 401 });
    expect(pushes).toHaveLength(1);
  });

  it("may have GitHub's signature alone", async () => {
    const { post: send } = receiver(source(provider));
    const { "x-gitea-signature": _, ...headers } = headersOf(hex(body));
    expect(await send(post({ provider, body, headers }))).toMatchObject({ status: 202 });
  });

  it.each([
    ["empty signatures, as of a webhook without a secret", headersOf("")],
    ["another secret's", headersOf(hex(body, "other"))],
    ["a right one beside a wrong one of its own", { ...headersOf(hex(body)), "x-gitea-signature": hex(body, "other") }],
    ["a doubled one", { ...headersOf(hex(body)), "x-gitea-signature": `${hex(body)}, ${hex(body)}` }],
    ["a prefix where none belongs", { ...headersOf(hex(body)), "x-gitea-signature": `sha256=${hex(body)}` }],
  ])("abuse 1: is refused with %s", async (_, headers) => {
    const { post: send, pushes } = receiver(source(provider));
    expect(await send(post({ provider, body, headers }))).toMatchObject({ status: 401 });
    expect(pushes).toEqual([]);
  });

  it.each([
    ["two payloads", `payload=${encodeURIComponent(body)}&payload=%7B%7D`],
    ["none", "x=1"],
  ])("is refused when its form has %s", async (_, fields) => {
    const { post: send, pushes } = receiver(source(provider));
    const answer = await send(post({ provider, body: fields, mediaType: form, headers: headersOf(hex(body)) }));
    expect([answer.status, pushes]).toEqual([401, []]);
  });

  it("E1: that deletes has no review", async () => {
    const { post: send, pushes } = receiver(source(provider));
    const deletion = JSON.stringify({ ...payload, after: ZERO, commits: [] });
    const answer = await send(post({ provider, body: deletion, headers: headersOf(hex(deletion)) }));
    expect(answer.body).toEqual({ accepted: true, reason: "deleted" });
    expect(pushes).toMatchObject([{ head: ZERO }]);
  });

  it("is no other event, and has the form of a push", async () => {
    const { post: send } = receiver(source(provider));
    const created = { ...headersOf(hex(body)), "x-gitea-event": "create" };
    expect(await send(post({ provider, body, headers: created }))).toMatchObject({ body: { reason: "not_a_push" } });
    expect(await send(post({ provider, body: "{}", headers: headersOf(hex("{}")) }))).toMatchObject({ status: 400 });
  });
});

it("Forgejo's own headers count before Gitea's", async () => {
  const { post: send, pushes } = receiver(source("forgejo"));
  const headers = {
    ...headersOf(hex(body, "other")),
    "x-forgejo-signature": hex(body),
    "x-forgejo-event": "push",
    "x-forgejo-delivery": "own",
    "x-gitea-event": "something",
  };
  expect(await send(post({ provider: "forgejo", body, headers }))).toMatchObject({ status: 202 });
  expect(pushes).toMatchObject([{ deliveryId: "own" }]);
});
