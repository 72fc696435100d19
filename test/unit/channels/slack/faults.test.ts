// What Slack's refusals and the failures on the way to it mean, seen over HTTP through the real SDK.

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { slackFailure } from "../../../../channels/slack/faults.ts";
import type { ChannelFault } from "../../../../src/ports/channel.ts";
import { type Bench, conversation, faultOf, pageOf, shownIn, startBench } from "../../../fakes/slack/client-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

const send = (key = "dl_1/0") => bench.client.send({ conversation }, pageOf("A"), key);

describe("Slack's own refusals", () => {
  const table: readonly (readonly [string, ChannelFault])[] = [
    ["ratelimited", "rate_limited"],
    ["rate_limited", "rate_limited"],
    ["msg_too_long", "too_large"],
    ["msg_blocks_too_long", "too_large"],
    ["too_many_attachments", "too_large"],
    ["invalid_blocks", "rejected"],
    ["channel_not_found", "forbidden"],
    ["not_in_channel", "forbidden"],
    ["is_archived", "forbidden"],
    ["is_inactive", "forbidden"],
    ["restricted_action", "forbidden"],
    ["restricted_action_thread_only_channel", "forbidden"],
    ["no_permission", "forbidden"],
    ["message_limit_exceeded", "forbidden"],
    ["messages_tab_disabled", "forbidden"],
    ["account_inactive", "auth"],
    ["token_revoked", "auth"],
    ["token_expired", "auth"],
    ["invalid_auth", "auth"],
    ["not_authed", "auth"],
    ["missing_scope", "auth"],
    ["message_not_found", "gone"],
    ["thread_not_found", "gone"],
    ["cannot_reply_to_message", "gone"],
    ["cant_update_message", "gone"],
    ["edit_window_closed", "gone"],
    ["block_mismatch", "gone"],
    ["fatal_error", "uncertain"],
    ["internal_error", "uncertain"],
    ["service_unavailable", "not_sent"],
    ["request_timeout", "not_sent"],
    ["team_added_to_org", "not_sent"],
    ["no_text", "rejected"],
    ["invalid_arguments", "rejected"],
    ["a_code_of_tomorrow", "rejected"],
  ];
  it.each(table)("%s is %s", async (error, fault) => {
    bench.slack.troubles.add("chat.postMessage", { kind: "error", error }, 3);
    const thrown = await faultOf(send());
    expect(thrown.fault).toBe(fault);
    if (fault !== "rate_limited") expect(thrown.message).toContain(error === "missing_scope" ? "scope" : error);
  });

  it("never repeats a write by itself", async () => {
    bench.slack.troubles.add("chat.postMessage", { kind: "status", status: 500, stored: true }, 5);
    await faultOf(send());
    expect(bench.slack.calls).toHaveLength(1);
    expect(shownIn(bench.slack)).toEqual(["A"]);
  });

  it("names the missing scope, and where to install the app anew", async () => {
    await bench.stop();
    bench = await startBench({ installUrl: "https://bot.example.com/slack/install" });
    bench.slack.bot.scopes.delete("chat:write");
    const thrown = await faultOf(send());
    expect(thrown).toMatchObject({ fault: "auth" });
    expect(thrown.message).toMatch(/chat:write.*https:\/\/bot\.example\.com\/slack\/install/);
    expect(bench.logged).toContainEqual({
      event: "slack.scope_missing",
      fields: { workspace: "T0001", method: "chat.postMessage", needed: "chat:write" },
    });
    // Without a scope for files, only files are missing: the lane goes on.
    bench.slack.bot.scopes.delete("files:write");
    const file = { name: "a.md", mediaType: "text/markdown", text: "a" };
    expect((await faultOf(bench.client.attach({ conversation }, file, "k"))).fault).toBe("rejected");
    expect(bench.refused).toEqual([]);
  });

  it("tells the channel which workspace's credentials are refused", async () => {
    bench.slack.bot.refusal = "token_revoked";
    expect((await faultOf(send())).fault).toBe("auth");
    expect(bench.refused).toEqual(["T0001 token_revoked"]);
  });

  it("uses a renewed token at once", async () => {
    await send("dl_1/0");
    bench.slack.bot.token = "xoxb-renewed";
    await send("dl_2/0");
    expect(bench.slack.calls.map(({ token }) => token)).toEqual(["xoxb-T0001-0001-abcdefabcdef", "xoxb-renewed"]);
  });
});

describe("what stands between the bot and Slack", () => {
  const table: readonly (readonly [string, Parameters<Bench["slack"]["troubles"]["add"]>[1], ChannelFault])[] = [
    ["429 with Retry-After", { kind: "status", status: 429, headers: { "retry-after": "7" } }, "rate_limited"],
    ["429 without Retry-After", { kind: "status", status: 429 }, "rate_limited"],
    [
      "429 with a Retry-After that is no number",
      { kind: "status", status: 429, headers: { "retry-after": "soon" } },
      "rate_limited",
    ],
    ["500 after the message was stored", { kind: "status", status: 500, stored: true }, "uncertain"],
    ["502", { kind: "status", status: 502 }, "uncertain"],
    ["503", { kind: "status", status: 503 }, "uncertain"],
    ["408", { kind: "status", status: 408 }, "uncertain"],
    ["403 of a gateway", { kind: "status", status: 403, body: "<html>blocked</html>" }, "not_sent"],
    ["404 of a proxy", { kind: "status", status: 404 }, "not_sent"],
    ["413", { kind: "status", status: 413 }, "too_large"],
    ["a redirect", { kind: "status", status: 302, headers: { location: "https://login.example.com/" } }, "uncertain"],
    ["200 with a page", { kind: "html" }, "uncertain"],
    ["200 with an empty body", { kind: "html", body: "" }, "uncertain"],
    ["200 with JSON that is no answer", { kind: "html", body: '{"hello":"there"}' }, "uncertain"],
    ["200 without the message's time", { kind: "html", body: '{"ok":true}' }, "uncertain"],
    ["a reset before the message was stored", { kind: "reset" }, "uncertain"],
    ["a reset after the message was stored", { kind: "reset", stored: true }, "uncertain"],
    ["an answer that breaks off", { kind: "torn", stored: true }, "uncertain"],
  ];
  it.each(table)("%s is %s", async (_what, trouble, fault) => {
    bench.slack.troubles.add("chat.postMessage", trouble);
    expect((await faultOf(send())).fault).toBe(fault);
    expect(bench.slack.calls.filter(({ method }) => method === "chat.postMessage")).toHaveLength(1);
  });

  it("waits as long as Retry-After says, and half a minute where it says nothing", async () => {
    bench.slack.troubles.add("chat.postMessage", { kind: "status", status: 429, headers: { "retry-after": "7" } });
    expect((await faultOf(send())).retryAfterMs).toBe(7_000);
    const elsewhere = { conversation: { ...conversation, conversation: "G0001" } };
    bench.slack.troubles.add("chat.postMessage", { kind: "status", status: 429 });
    expect((await faultOf(bench.client.send(elsewhere, pageOf("A"), "k"))).retryAfterMs).toBe(30_000);
  });

  it("gives up after its time, without knowing whether the message was sent", async () => {
    await bench.stop();
    bench = await startBench({ timeoutMs: 50 });
    bench.slack.troubles.add("chat.postMessage", { kind: "silence", stored: true });
    expect((await faultOf(send())).fault).toBe("uncertain");
  });

  it("knows that nothing was sent where no connection stood", async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    await bench.stop();
    bench = await startBench({ apiUrl: `http://127.0.0.1:${port}/api/` });
    const thrown = await faultOf(send());
    expect(thrown).toMatchObject({ fault: "not_sent", message: expect.stringContaining("ECONNREFUSED") });
  });

  it.each([
    [{ code: "ENOTFOUND" }, "not_sent"],
    [{ code: "UND_ERR_CONNECT_TIMEOUT" }, "not_sent"],
    [{ code: "CERT_HAS_EXPIRED" }, "not_sent"],
    [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "not_sent"],
    [{ code: "ECONNRESET" }, "uncertain"],
    [{ code: "UND_ERR_SOCKET" }, "uncertain"],
    [{ code: "UND_ERR_HEADERS_TIMEOUT" }, "uncertain"],
    [{}, "uncertain"],
  ] as const)("reads the cause %o as %s", (cause, fault) => {
    const thrown = new TypeError("fetch failed", { cause: Object.assign(new Error("x"), cause) });
    expect(slackFailure(thrown, "chat.postMessage").error.fault).toBe(fault);
  });

  it("takes several addresses as unreachable only when all are", () => {
    const at = (code: string) => Object.assign(new Error(code), { code });
    const both = new TypeError("x", { cause: new AggregateError([at("ECONNREFUSED"), at("ENETUNREACH")]) });
    const one = new TypeError("x", { cause: new AggregateError([at("ECONNREFUSED"), at("ECONNRESET")]) });
    expect(slackFailure(both, "m").error.fault).toBe("not_sent");
    expect(slackFailure(one, "m").error.fault).toBe("uncertain");
  });
});

describe("what is said and logged", () => {
  it("never holds a page, a token or a message", async () => {
    const body = `<html>${"secret ".repeat(2_000)}</html>`;
    bench.slack.troubles.add("chat.postMessage", { kind: "html", body });
    const page = await faultOf(send("k1"));
    bench.slack.troubles.add("chat.postMessage", { kind: "status", status: 500, body });
    const status = await faultOf(send("k2"));
    bench.slack.troubles.add("chat.postMessage", { kind: "reset" });
    const reset = await faultOf(send("k3"));
    bench.slack.bot.refusal = "invalid_auth";
    const auth = await faultOf(send("k4"));
    const said = [page, status, reset, auth].map(({ message }) => message).join("\n") + JSON.stringify(bench.logged);
    expect(said).not.toMatch(/secret|xoxb|<html>/);
    expect(page.message).toContain("14013 characters");
  });
});
