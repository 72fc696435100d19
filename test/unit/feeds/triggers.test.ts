// Triggers of Perforce and Subversion: a key names the repository, the body only a number, and nothing else decides.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTriggers } from "../../../src/feeds/triggers.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";
import { acceptance } from "./pushes.ts";
import { viaWeb } from "./web-request.ts";

const sources = [
  { vcs: "p4", repository: "depot", apiKey: "depot key" },
  { vcs: "p4", repository: "tools", apiKey: "tools key" },
  { vcs: "svn", repository: "engine", apiKey: "engine key" },
] as const;

function start() {
  const { accept, pushes } = acceptance();
  const feed = createTriggers({ sources, acceptPush: accept, logger: silentLogger });
  async function send(
    vcs: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
    method = "POST",
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const request = new Request(`http://127.0.0.1/triggers/${vcs}`, {
      method,
      ...(method === "POST" ? { body } : {}),
      headers: {
        "content-type": "application/json",
        "x-api-key": vcs === "svn" ? "engine key" : "depot key",
        ...headers,
      },
    });
    const answer = await viaWeb(feed)(request);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  return { routes: feed.routes, send, pushes };
}

const form = { "content-type": "application/x-www-form-urlencoded" };
const accepted = { status: 202, body: { accepted: true, reviewId: expect.any(String) } };

describe("a trigger", () => {
  it.each([
    ["p4", '{"change": 12345}', {}, "12345", "depot"],
    ["p4", '{"change": "12345"}', {}, "12345", "depot"],
    ["p4", "change=12345", form, "12345", "depot"],
    ["svn", '{"revision": 7}', {}, "7", "engine"],
    ["svn", "revision=7", form, "7", "engine"],
  ])("of %s takes %s", async (vcs, body, headers, head, repository) => {
    const { send, pushes } = start();
    expect(await send(vcs, body, headers)).toEqual(accepted);
    expect(pushes).toMatchObject([{ repository, ref: vcs, head, source: `${vcs}-trigger` }]);
    expect(pushes[0]).not.toHaveProperty("hint");
  });

  it("passes on who is said to have submitted, as a hint, and reads nothing else", async () => {
    const { send, pushes } = start();
    const body = { change: 5, user: "alice", client: "ws", depot_path: "//other/...", files: ["//other/a"], x: [[1]] };
    await send("p4", JSON.stringify(body));
    await send("svn", JSON.stringify({ revision: 5, author: "bob", files: null }));
    expect(pushes.map(({ hint, repository }) => ({ hint, repository }))).toEqual([
      { hint: { author: "alice" }, repository: "depot" },
      { hint: { author: "bob" }, repository: "engine" },
    ]);
  });

  it("abuse 19: speaks of the repository of its key, whatever its body says", async () => {
    const { send, pushes } = start();
    for (const name of ["repository", "repo", "alias", "depot_path", "url", "depot"]) {
      await send("p4", JSON.stringify({ change: pushes.length + 1, [name]: "tools" }));
    }
    expect(new Set(pushes.map(({ repository }) => repository))).toEqual(new Set(["depot"]));
  });

  it("E2: the same change again is a no-op, and its answer has no review", async () => {
    const { send, pushes } = start();
    expect(await send("p4", '{"change": 9}')).toEqual(accepted);
    expect(await send("p4", '{"change": "9", "user": "x"}')).toEqual({
      status: 202,
      body: { accepted: true, reason: "duplicate" },
    });
    expect(pushes[1]?.deliveryId).toBe(pushes[0]?.deliveryId);
  });

  it.each([
    ["no number", "{}"],
    ["zero", '{"change": 0}'],
    ["a negative number", '{"change": -1}'],
    ["a fraction", '{"change": 1.5}'],
    ["a shelf", '{"change": "@=5"}'],
    ["an option", '{"change": "--config-option"}'],
    ["a name", '{"change": "default"}'],
    ["abuse 20: a peg", '{"change": "5@6"}'],
    ["a number that goes on", '{"change": "5\\n6"}'],
    ["too many digits", '{"change": "99999999999"}'],
    ["a list", "[5]"],
    ["a bare number", "5"],
    ["nothing", ""],
    ["no JSON", "{change: 5}"],
    ["abuse 11: a prototype", '{"change": 5, "__proto__": {"admin": true}}'],
    ["abuse 11: depth", `{"change": 5, "x": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("refuses %s", async (_, body) => {
    const { send, pushes } = start();
    expect(await send("p4", body)).toMatchObject({ status: 400, body: { error: { code: "bad_request" } } });
    expect(pushes).toEqual([]);
  });

  it("refuses a form that says it twice", async () => {
    const { send } = start();
    expect(await send("p4", "change=5&change=6", form)).toMatchObject({ status: 400 });
  });

  it.each([
    ["none", ""],
    ["a shorter one", "depot ke"],
    ["a longer one", "depot keyy"],
    ["two", "depot key, depot key"],
    ["one of the other system", "engine key"],
  ])("is refused with the key: %s", async (_, key) => {
    const { send, pushes } = start();
    expect(await send("p4", '{"change": 5}', { "x-api-key": key })).toMatchObject({ status: 401 });
    expect(pushes).toEqual([]);
  });

  it("with any other key is refused", async () => {
    const { send, pushes } = start();
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[!-~]{1,40}$/), async (key) => {
        expect(await send("svn", '{"revision": 5}', { "x-api-key": key })).toMatchObject({ status: 401 });
      }),
      { numRuns: 50 },
    );
    expect(pushes).toEqual([]);
  });

  it("takes POST alone, and no other or compressed type", async () => {
    const { send } = start();
    expect(await send("p4", "", {}, "GET")).toMatchObject({ status: 405 });
    expect(await send("p4", '{"change": 5}', { "content-type": "text/plain" })).toMatchObject({ status: 415 });
    expect(await send("p4", '{"change": 5}', { "content-encoding": "gzip" })).toMatchObject({ status: 415 });
  });
});

it("routes are those of the systems that have a key", () => {
  const { routes } = start();
  expect(routes).toEqual(["/triggers/p4", "/triggers/svn"]);
  expect(createTriggers({ sources: [], acceptPush: acceptance().accept, logger: silentLogger }).routes).toEqual([]);
});
