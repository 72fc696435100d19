// The strict fake is strict: what Slack would not take, and what a careless client would send, is refused here.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";
import { type SlackWebApi, startSlackWebApi } from "../../../fakes/slack/web-api.ts";

let slack: SlackWebApi;
let clock: FakeClock;
beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 5, 12));
  slack = await startSlackWebApi({ clock });
});
afterEach(() => slack.stop());

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function call(
  method: string,
  given: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${slack.bot.token}` },
): Promise<Answer> {
  const body = new URLSearchParams(given);
  const response = await fetch(`${slack.url}${method}`, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const errorOf = async (answer: Promise<Answer>): Promise<unknown> => (await answer).body["error"] ?? "ok";
const hello = { channel: "C0001", text: "hello" };

describe("the fake of Slack", () => {
  it("takes a call with a known token, the method's arguments and nothing else", async () => {
    expect(await errorOf(call("chat.postMessage", hello))).toBe("ok");
    expect(await errorOf(call("chat.postMessage", hello, {}))).toBe("not_authed");
    expect(await errorOf(call("chat.postMessage", hello, { authorization: "Bearer xoxb-nobody" }))).toBe(
      "invalid_auth",
    );
    expect(await errorOf(call("chat.postMessage", { ...hello, client_msg_id: "1" }))).toBe("invalid_arguments");
    expect(await errorOf(call("chat.postMessage", { ...hello, token: slack.bot.token }))).toBe("invalid_arguments");
    expect(await errorOf(call("chat.postMessage", { text: "hello" }))).toBe("invalid_arguments");
    expect(await errorOf(call("chat.postMessage", { ...hello, unfurl_links: "maybe" }))).toBe("invalid_arguments");
    expect(await errorOf(call("chat.postMessage", { ...hello, blocks: "[" }))).toBe("invalid_arguments");
    expect(await errorOf(call("chat.shout", hello))).toBe("unknown_method");
  });

  it("wants a scope for what it does, and names it", async () => {
    slack.bot.scopes.delete("reactions:write");
    const { body } = await call("reactions.add", { channel: "C0001", timestamp: "1.1", name: "eyes" });
    expect(body).toMatchObject({ error: "missing_scope", needed: "reactions:write" });
  });

  it("wants words for those who are notified or cannot see, and metadata as documented", async () => {
    const blocks = JSON.stringify([{ type: "divider" }]);
    expect(await errorOf(call("chat.postMessage", { channel: "C0001", blocks }))).toBe("no_text");
    const nested = JSON.stringify({ event_type: "e", event_payload: { a: { b: { c: 1 } } } });
    expect(await errorOf(call("chat.postMessage", { ...hello, metadata: nested }))).toBe("invalid_metadata_schema");
    clock.advance(1_000);
    expect(await errorOf(call("chat.postMessage", { ...hello, metadata: "{}" }))).toBe("invalid_metadata_format");
  });

  it("points to what is wrong with blocks", async () => {
    const blocks = JSON.stringify([{ type: "header", text: { type: "plain_text", text: "x".repeat(151) } }]);
    const { body } = await call("chat.postMessage", { ...hello, blocks });
    expect(body).toMatchObject({
      error: "invalid_blocks",
      errors: ["must be less than 151 characters [json-pointer:/blocks/0/text/text]"],
    });
  });

  it("knows no thread that is none", async () => {
    const { body } = await call("chat.postMessage", hello);
    const ts = String(body["ts"]);
    const reply = await call("chat.postMessage", { ...hello, thread_ts: ts });
    expect(reply.body["ok"]).toBe(true);
    clock.advance(2_000);
    expect(await errorOf(call("chat.postMessage", { ...hello, thread_ts: String(reply.body["ts"]) }))).toBe(
      "thread_not_found",
    );
    expect(await errorOf(call("chat.postMessage", { ...hello, thread_ts: "1.1" }))).toBe("thread_not_found");
  });

  it("lets a short burst through, and then says how long to wait", async () => {
    for (const expected of [200, 200, 429]) expect((await call("chat.postMessage", hello)).status).toBe(expected);
    expect((await call("chat.postMessage", { ...hello, channel: "G0001" })).status).toBe(200);
    clock.advance(1_000);
    expect((await call("chat.postMessage", hello)).status).toBe(200);
  });

  it("tells metadata only to who asks for it, and keeps it through an edit", async () => {
    const metadata = JSON.stringify({ event_type: "e", event_payload: { key: "k" } });
    const { body } = await call("chat.postMessage", { ...hello, metadata });
    await call("chat.update", { channel: "C0001", ts: String(body["ts"]), text: "edited" });
    const plain = await call("conversations.history", { channel: "C0001" });
    expect(plain.body["messages"]).toMatchObject([{ text: "edited" }]);
    expect(JSON.stringify(plain.body["messages"])).not.toContain("metadata");
    const full = await call("conversations.history", { channel: "C0001", include_all_metadata: "true" });
    expect(full.body["messages"]).toMatchObject([{ metadata: { event_payload: { key: "k" } } }]);
  });

  it("takes an upload of exactly the announced size, once", async () => {
    const { body } = await call("files.getUploadURLExternal", { filename: "a.txt", length: "5" });
    const address = String(body["upload_url"]);
    const upload = async (text: string): Promise<number> =>
      (await fetch(address, { method: "POST", body: text })).status;
    expect([await upload("four"), await upload("fiver"), await upload("fiver")]).toEqual([400, 200, 400]);
    const files = JSON.stringify([{ id: body["file_id"] }]);
    const share = { files, channel_id: "C0001" };
    expect(await errorOf(call("files.completeUploadExternal", share))).toBe("ok");
    expect(await errorOf(call("files.completeUploadExternal", share))).toBe("file_not_found");
    expect(await errorOf(call("files.getUploadURLExternal", { filename: "a.txt", length: "0" }))).toBe(
      "missing_argument",
    );
  });

  it("grants a token for a code once, and a new pair for the newest refresh token alone", async () => {
    const { clientId: client_id, clientSecret: client_secret } = slack.oauth;
    const app = { client_id, client_secret };
    const code = slack.oauth.consent("T0001", "https://bot.example.com/back");
    const back = { redirect_uri: "https://bot.example.com/back" };
    expect(await errorOf(call("oauth.v2.access", { ...app, client_secret: "x", code, ...back }, {}))).toBe(
      "bad_client_secret",
    );
    slack.oauth.rotates = true;
    const granted = await call("oauth.v2.access", { ...app, code, ...back }, {});
    expect(granted.body).toMatchObject({ ok: true, access_token: slack.bot.token, expires_in: 43_200 });
    expect(await errorOf(call("oauth.v2.access", { ...app, code, ...back }, {}))).toBe("invalid_code");
    const refresh = { ...app, grant_type: "refresh_token", refresh_token: String(granted.body["refresh_token"]) };
    const renewed = await call("oauth.v2.access", refresh, {});
    expect(renewed.body["access_token"]).not.toBe(granted.body["access_token"]);
    expect(await errorOf(call("oauth.v2.access", refresh, {}))).toBe("invalid_refresh_token");
    expect(
      await errorOf(call("auth.test", {}, { authorization: `Bearer ${String(granted.body["access_token"])}` })),
    ).toBe("invalid_auth");
    const other = slack.oauth.consent("T0001", "https://bot.example.com/back");
    const elsewhere = { redirect_uri: "https://evil.example/" };
    expect(await errorOf(call("oauth.v2.access", { ...app, code: other, ...elsewhere }, {}))).toBe("bad_redirect_uri");
  });
});
