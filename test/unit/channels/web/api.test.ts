// The Web API: what is posted once stays posted once, streams resume and end, and every mistake has its sentence.
import { beforeEach, describe, expect, it } from "vitest";
import { peerHeader } from "../../../../channels/kit/peer.ts";
import { webChannelConfig } from "../../../../channels/web/config.ts";
import { createWebChannel } from "../../../../channels/web/index.ts";
import type { ApiRootMessage } from "../../../../channels/web/render.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { Review } from "../../../../src/core/review.ts";
import type { Channel, CommandReply } from "../../../../src/ports/channel.ts";
import { createMemoryChatLog } from "../../../fakes/chat-log.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { createFixedIds } from "../../../fakes/fixed-ids.ts";
import { createScriptedInbox, plainPage, type ScriptedInbox } from "../../../fakes/scripted-inbox.ts";
import { silentLogger } from "../../../fakes/silent-logger.ts";

const base = "http://127.0.0.1:8787";
const conversation = { channel: "web", workspace: "local", conversation: "main" };

let channel: Channel;
let clock: FakeClock;
let inbox: ScriptedInbox;
let answer: () => Promise<CommandReply | null>;
let reviews: Map<string, Review>;

beforeEach(async () => {
  clock = createFakeClock();
  answer = async () => ({ page: plainPage("Accepted"), visibility: "asker", reviewId: "rv_1" });
  inbox = createScriptedInbox(() => answer(), ["demo HEAD", "demo main", "help"]);
  reviews = new Map();
  channel = createWebChannel({
    config: webChannelConfig.parse({ max_streams: 2 }),
    chat: createMemoryChatLog(),
    reviews: { get: async (id) => reviews.get(id) ?? null },
    ids: createFixedIds(),
    clock,
    logger: silentLogger,
  });
  await channel.start(inbox);
});

function request(path: string, init: RequestInit = {}): Promise<Response> {
  return channel.webhook(new Request(`${base}${path}`, init));
}

function post(body: unknown, headers: Record<string, string> = {}, path = "/api/conversations/main/messages") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return request(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: text });
}

async function history(): Promise<readonly ApiRootMessage[]> {
  const response = await request("/api/conversations/main/messages");
  return (await response.json()) as readonly ApiRootMessage[];
}

async function errorOf(response: Response): Promise<{ code: string; message: string; remedy: string }> {
  const { error } = (await response.json()) as { error: { code: string; message: string; remedy: string } };
  for (const sentence of [error.message, error.remedy]) expect(sentence).toMatch(/^[A-Z].*\.$|^Send \{.*\}\.$/);
  return error;
}

describe("posting", () => {
  it("accepts, tells the inbox, and shows message and answer", async () => {
    const response = await post({ text: "/review demo HEAD" }, { "accept-language": "vi", [peerHeader]: "loopback" });
    expect(response.status).toBe(202);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({ messageId: "ms_000001", reviewId: "rv_1" });
    expect(inbox.commands).toEqual([
      {
        conversation,
        person: { channel: "web", workspace: "local", person: "local" },
        eventId: "ms_000001",
        text: "demo HEAD",
        locale: "vi",
        roles: ["admin"],
      },
    ]);
    expect((await history()).map(({ text }) => text)).toEqual(["/review demo HEAD", "Accepted"]);
  });

  it("makes an admin only of who speaks from this machine", async () => {
    await post({ text: "help" });
    await post({ text: "help" }, { [peerHeader]: "remote" });
    expect(inbox.commands.map(({ roles }) => roles)).toEqual([["member"], ["member"]]);
  });

  it("posts once for one key, also while the first request is under way", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => post({ text: "demo" }, { "idempotency-key": "k" })));
    const bodies = await Promise.all(answers.map((response) => response.json()));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(inbox.commands).toHaveLength(1);
    expect(await history()).toHaveLength(2);
  });

  it("refuses a key that belongs to another text, and keeps keys apart by conversation", async () => {
    await post({ text: "one" }, { "idempotency-key": "k" });
    const other = await post({ text: "two" }, { "idempotency-key": "k" });
    expect([other.status, (await errorOf(other)).code]).toEqual([409, "conflict"]);
    const elsewhere = await post({ text: "two" }, { "idempotency-key": "k" }, "/api/conversations/other/messages");
    expect(elsewhere.status).toBe(202);
  });

  it("lets a failed command be tried again under its key, without posting twice", async () => {
    const working = answer;
    answer = () => Promise.reject(new AppError("unavailable", "The database is busy.", { remedy: "Try again." }));
    const failed = await post({ text: "demo" }, { "idempotency-key": "k" });
    expect([failed.status, failed.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await errorOf(failed)).message).toBe("The database is busy.");
    answer = working;
    expect((await post({ text: "demo" }, { "idempotency-key": "k" })).status).toBe(202);
    expect((await history()).map(({ text }) => text)).toEqual(["demo", "Accepted"]);
  });

  it("says nothing of what is inside when something inside is wrong", async () => {
    answer = () => Promise.reject(new TypeError("cannot read /secret/path"));
    const failed = await post({ text: "demo" });
    expect(failed.status).toBe(500);
    expect(JSON.stringify(await failed.json())).not.toMatch(/secret|TypeError|at /);
  });

  it.each([
    ["no JSON", "{", {}, 400],
    ["invalid UTF-8 made of surrogates", '{"text":"\\ud800"}', {}, 400],
    ["a nest of arrays", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, {}, 400],
    ["an unknown field", '{"text":"help","constructor":{}}', {}, 400],
    ["another type", '{"text":"help"}', { "content-type": "text/plain" }, 415],
    ["a form", "text=help", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["a body over 64 KiB", JSON.stringify({ text: "x".repeat(65 * 1024) }), {}, 413],
    ["a thread that is none", '{"text":"help","thread":"ms_999999"}', {}, 404],
    ["a key that is none", '{"text":"help"}', { "idempotency-key": "x".repeat(129) }, 400],
  ])("refuses %s", async (_, body, headers, status) => {
    const response = await post(body, headers);
    expect(response.status).toBe(status);
    await errorOf(response);
    expect(inbox.commands).toEqual([]);
    expect(await history()).toEqual([]);
  });

  it("stops reading an endless body at the cap", async () => {
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 1;
        controller.enqueue(new Uint8Array(16 * 1024).fill(0x20));
      },
    });
    const headers = { "content-type": "application/json" };
    const endless: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
    expect((await request("/api/conversations/main/messages", endless)).status).toBe(413);
    expect(read).toBeLessThan(10);
  });
});

describe("events", () => {
  /** What the stream holds after everything that can happen has happened. */
  async function events(headers: Record<string, string>, meanwhile: () => Promise<unknown>): Promise<string> {
    const response = await request("/api/conversations/main/events", { headers });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    await clock.advanceAsync(0);
    await meanwhile();
    await channel.stop();
    return response.text();
  }

  it("tell of messages, edits and removals as they happen", async () => {
    const text = await events({}, async () => {
      const ref = await channel.send({ conversation }, plainPage("Working"), "dl_1/0");
      await channel.send({ conversation }, plainPage("Working"), "dl_1/0");
      await channel.edit(ref, plainPage("Done"));
      await channel.remove(ref);
    });
    expect(text.match(/^event: .*/gm)).toEqual(["event: message", "event: message.updated", "event: message.removed"]);
    expect(text).toMatch(/^data: \{"id":"ms_000001","from":"bot","visibility":"everyone","text":"Working"/m);
    expect(text).toMatch(/"text":"Done".*"editedAt":"2024-01-01T00:00:00.000Z"/);
  });

  it("resume after the last id with everything that changed since", async () => {
    const old = await channel.send({ conversation }, plainPage("Old"), "dl_1/0");
    const early = await channel.send({ conversation }, plainPage("Edited later"), "dl_2/0");
    clock.advance(60_000);
    const lastId = String(clock.now());
    clock.advance(60_000);
    await channel.send({ conversation, thread: old.message }, plainPage("Reply"), "dl_3/0");
    clock.advance(1_000);
    await channel.edit(early, plainPage("Edited"));
    const text = await events({ "last-event-id": lastId }, async () => undefined);
    expect(text.match(/^event: .*/gm)).toEqual(["event: message", "event: message.updated"]);
    expect(text.match(/"text":"[^"]*"/g)).toEqual(['"text":"Reply"', '"text":"Edited"']);
    expect(text.match(/^id: .*/gm)?.at(-1)).toBe(`id: ${clock.now()}`);
  });

  it.each(["x", "-1", "1e99", ""])("begin anew after the id %j, which is none", async (id) => {
    await channel.send({ conversation }, plainPage("Old"), "dl_1/0");
    expect(await events({ "last-event-id": id }, async () => undefined)).toBe("retry: 2000\n\n");
  });

  it("are refused when too many streams are open", async () => {
    for (let n = 0; n < 2; n++) await request("/api/conversations/main/events");
    const refused = await request("/api/conversations/main/events");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    await errorOf(refused);
  });
});

describe("other resources", () => {
  it("suggest what completes a text", async () => {
    const response = await request("/api/conversations/main/suggestions?text=%2Freview%20dem");
    expect(await response.json()).toEqual(["/review demo HEAD", "/review demo main"]);
  });

  it("give reviews; others' reviews only to this machine", async () => {
    const base: Omit<Review, "requester"> = {
      id: "rv_1",
      repository: "demo",
      spec: "HEAD",
      agent: "checks",
      paths: [],
      locale: "en",
      status: "clean",
      attempt: 1,
      createdAt: 0,
    };
    const person = { channel: "web", workspace: "local", person: "local" };
    reviews.set("rv_1", { ...base, requester: { kind: "person", conversation, person } });
    reviews.set("rv_2", { ...base, id: "rv_2", requester: { kind: "feed", feed: "poller" } });
    const local = { headers: { [peerHeader]: "loopback" } };
    expect((await request("/api/reviews/rv_1")).status).toBe(200);
    expect((await request("/api/reviews/rv_2")).status).toBe(404);
    expect((await request("/api/reviews/rv_2", local)).status).toBe(200);
    const unknown = await request("/api/reviews/rv_3", local);
    expect([unknown.status, (await errorOf(unknown)).code]).toEqual([404, "not_found"]);
  });

  it("press buttons of messages that are here", async () => {
    const ref = await channel.send({ conversation }, plainPage("Card"), "dl_1/0");
    const path = "/api/conversations/other/actions";
    expect((await post({ message: ref.message, token: "v1:a" }, {}, path)).status).toBe(404);
    expect(inbox.actions).toEqual([]);
  });

  it("answer a press with the form that the core asks for meanwhile, and with none afterwards", async () => {
    const ref = await channel.send({ conversation }, plainPage("Card"), "dl_1/0");
    const form = { title: "Why?", token: "v1:a", fields: [] };
    inbox.action = (inbound) => channel.ask(inbound, form);
    const path = "/api/conversations/main/actions";
    const answer = await post({ message: ref.message, token: "v1:a" }, {}, path);
    expect(await answer.json()).toEqual({ accepted: true, form });
    const late = { conversation, person: { channel: "web", workspace: "local", person: "local" }, message: ref };
    const trigger = { ...late, eventId: "ac_000001", token: "v1:a", values: {}, roles: [] };
    await expect(channel.ask(trigger, form)).rejects.toMatchObject({ fault: "rejected" });
  });

  it("take only their own methods", async () => {
    const wrong = await request("/api/conversations/main/events", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
    expect((await request("/api/conversations/main/messages", { method: "PUT" })).status).toBe(405);
  });

  it.each(["0", "201", "1.5", "x", ""])("refuse the limit %j", async (limit) => {
    expect((await request(`/api/conversations/main/messages?limit=${limit}`)).status).toBe(400);
  });

  it("answer 503 until the channel is started, and after it is stopped", async () => {
    await channel.stop();
    const response = await request("/api/conversations/main/messages");
    expect([response.status, (await errorOf(response)).code]).toEqual([503, "unavailable"]);
  });
});
