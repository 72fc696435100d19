// Every code of the platform that is known, as the fault that tells the sender what to do, through the whole client.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cardReason, QUOTA_PAUSE_MS, toChannelError } from "../../../../channels/lark/faults.ts";
import { createLarkHttp, LarkHttpError } from "../../../../channels/lark/http.ts";
import { ChannelError, type ChannelFault } from "../../../../src/ports/channel.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { asker, type ClientOnFake, createClientOnFake, group } from "../../../fakes/lark/api-client.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let on: ClientOnFake;
beforeEach(async () => {
  on = await createClientOnFake();
});
afterEach(() => on.stop());

const messages = /POST .*\/messages$/;

function answers(code: number, msg: string, status = 400, headers: Readonly<Record<string, string>> = {}): void {
  on.api.trouble(messages, { kind: "answer", answer: { status, body: { code, msg }, headers } }, 2);
}

async function errorOf(call: Promise<unknown>): Promise<ChannelError> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ChannelError);
  return thrown as ChannelError;
}

const send = (key = "dl_1/0"): Promise<ChannelError> =>
  errorOf(on.client.send({ conversation: group }, plainPage("Hi"), key));

/** Code, what it says, fault. */
const table: readonly (readonly [number, string, ChannelFault])[] = [
  [99991672, "Access denied. One of the following scopes is required: [im:message:send_as_bot].", "auth"],
  [99991400, "request trigger frequency limit", "rate_limited"],
  [230020, "This operation triggers the frequency limit.", "rate_limited"],
  [200810, "The card is busy with an interaction.", "rate_limited"],
  [230006, "Bot ability is not activated.", "auth"],
  [230027, "Lack of necessary permissions.", "auth"],
  [230002, "The bot can not be outside the group.", "forbidden"],
  [230013, "Bot has NO availability to this user.", "forbidden"],
  [230018, "These operations are NOT allowed at current group settings.", "forbidden"],
  [230035, "Send Message Permission deny.", "forbidden"],
  [230053, "The user has stopped the bot from sending messages.", "forbidden"],
  [232009, "The chat has already been dissolved.", "forbidden"],
  [230011, "The message was withdrawn.", "gone"],
  [231003, "The message is not found", "gone"],
  [230019, "The topic does NOT exist.", "gone"],
  [230025, "The length of the message content reaches its limit.", "too_large"],
  [230099, "Failed to create card content, ext=ErrCode: 11310; ErrMsg: card table number over limit", "too_large"],
  [230049, "The message is being sent.", "uncertain"],
  [230022, "The content of the message contains sensitive information.", "rejected"],
  [230028, "The messages do NOT pass the audit.", "rejected"],
  // Of streaming updates, which the bot does not make.
  [200850, "Card streaming timeout.", "rejected"],
  [300309, "Streaming mode is closed.", "rejected"],
  [300317, "The sequence is out of order.", "rejected"],
  [4711, "nobody knows this code", "rejected"],
];

describe("a code of the platform", () => {
  it.each(table)("%i (%s) is %s", async (code, msg, fault) => {
    answers(code, msg);
    const error = await send();
    expect(error.fault).toBe(fault);
    expect(error.message).toContain(`code ${code}`);
  });

  it.each(table)("%i says the same with HTTP 200, as older calls do", async (code, msg, fault) => {
    answers(code, msg, 200);
    expect((await send()).fault).toBe(fault);
  });

  it("tells an admin what to do, and shows the platform's own words (scope missing)", async () => {
    answers(99991672, "One of the following scopes is required: [im:message:send_as_bot].");
    const { message } = await send();
    expect(message).toContain("im:message:send_as_bot");
    expect(message).toContain("publish a version");
  });

  it.each([200621, 200861, 200570, 200830])("within a refused card (ErrCode %i) sends it as text", async (errCode) => {
    const body = { code: 230099, msg: `Failed to create card content, ext=ErrCode: ${errCode}; ErrMsg: x` };
    on.api.trouble(messages, { kind: "answer", answer: { status: 400, body } });
    await on.client.send({ conversation: group }, plainPage("Hi"), "dl_1/0");
    expect(on.api.shown()).toMatchObject([{ type: "text", content: { text: "Hi" } }]);
  });

  it("200830, a card of 2.0 in place of one of 1.0, is refused for good when it is updated", async () => {
    const ref = await on.client.send({ conversation: group }, plainPage("Hi"), "dl_1/0");
    on.api.trouble(/PATCH/, {
      kind: "answer",
      answer: { status: 400, body: { code: 200830, msg: "schemaV2 card can not change schemaV1" } },
    });
    expect((await errorOf(on.client.edit(ref, plainPage("Ho")))).fault).toBe("rejected");
  });

  it("230001 reads the text behind ext=", async () => {
    answers(230001, "Your request contains an invalid request parameter, ext=invalid receive_id");
    expect((await send()).message).toContain("ext=invalid receive_id");
  });

  it("finds the number within a refused card's text", () => {
    expect(cardReason("Failed to create card content, ext=ErrCode: 11310; ErrMsg: x")).toBe(11310);
    expect(cardReason("nothing of that kind")).toBeUndefined();
  });
});

describe("the pace", () => {
  it("is kept as long as the platform says (x-ogw-ratelimit-reset), also with HTTP 400", async () => {
    answers(99991400, "frequency limit", 429, { "x-ogw-ratelimit-reset": "7" });
    expect((await send("dl_1/0")).retryAfterMs).toBe(7_000);
    on.api.trouble(messages, {
      kind: "answer",
      answer: { status: 400, body: { code: 99991400, msg: "x" }, headers: { "x-ogw-ratelimit-reset": "3" } },
    });
  });

  it("is a second where the platform does not say, and HTTP 429 alone is enough", async () => {
    answers(0, "slow down", 429);
    expect(await send()).toMatchObject({ fault: "rate_limited", retryAfterMs: 1_000 });
  });

  it("stops for an hour when the monthly quota is used up (99991403), says so once, and then tries again", async () => {
    on.api.trouble(messages, {
      kind: "answer",
      answer: { status: 400, body: { code: 99991403, msg: "This month's API call quota has been exceeded" } },
    });
    expect(await send()).toMatchObject({ fault: "rate_limited", retryAfterMs: QUOTA_PAUSE_MS });
    const calls = on.api.calls.length;
    on.clock.advance(60_000);
    expect(await send("dl_2/0")).toMatchObject({ fault: "rate_limited", retryAfterMs: QUOTA_PAUSE_MS - 60_000 });
    expect(on.api.calls).toHaveLength(calls);
    expect(on.client.api.pausedUntil()).toBe(on.clock.now() + QUOTA_PAUSE_MS - 60_000);
    expect(on.logger.lines.filter(({ event }) => event === "lark.quota_used_up")).toHaveLength(1);
    on.clock.advance(QUOTA_PAUSE_MS);
    await on.client.send({ conversation: group }, plainPage("Hi"), "dl_3/0");
    expect(on.client.api.pausedUntil()).toBeNull();
  });
});

describe("the way there and back", () => {
  it("that breaks before the answer leaves it uncertain", async () => {
    on.api.trouble(messages, { kind: "lost" });
    expect((await send()).fault).toBe("uncertain");
    expect(on.api.shown()).toHaveLength(1);
  });

  it("that never ends is uncertain after the deadline: every call has one", async () => {
    on.api.trouble(messages, { kind: "stalled" });
    const error = send();
    await on.api.called(messages);
    await on.clock.advanceAsync(5_000);
    expect((await error).fault).toBe("uncertain");
  });

  it("to nobody means that nothing was sent", async () => {
    await on.closeServer();
    expect((await send()).fault).toBe("not_sent");
  });

  it("is closed when the channel is: nothing is sent any more", async () => {
    await on.stop();
    expect((await send()).fault).toBe("not_sent");
  });

  it.each([500, 502, 503, 504])("with HTTP %i is uncertain", async (status) => {
    on.api.trouble(messages, { kind: "answer", answer: { status, body: {} } });
    expect((await send()).fault).toBe("uncertain");
  });

  it("through a gateway that answers with a page of its own is uncertain", async () => {
    const { createServer } = await import("node:http");
    const server = createServer(
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const http = createLarkHttp({ clock: createFakeClock(), timeoutMs: 1_000, throwCodes: true, secrets: [] });
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const thrown: unknown = await http
      .post(`http://127.0.0.1:${port}/open-apis/x`, {})
      .catch((error: unknown) => error);
    await http.close();
    server.close();
    expect(toChannelError(thrown).fault).toBe("uncertain");
  });

  it("with an answer that names no message is uncertain", async () => {
    on.api.trouble(messages, { kind: "answer", answer: { status: 200, body: { code: 0, msg: "success", data: {} } } });
    expect((await send()).fault).toBe("uncertain");
  });
});

describe("a quiet card that is refused", () => {
  it.each(["too_large", "rate_limited", "uncertain"] as const)("as %s is not tried elsewhere", async (fault) => {
    const code = { too_large: 230025, rate_limited: 230020, uncertain: 230049 }[fault];
    on.api.trouble(/ephemeral/, { kind: "answer", answer: { status: 400, body: { code, msg: "x" } } });
    const error = await errorOf(on.client.send({ conversation: group, onlyFor: asker }, plainPage("Hi"), "dl_1/0"));
    expect(error.fault).toBe(fault);
    expect(on.api.shown()).toEqual([]);
  });
});

describe("whatever else is thrown", () => {
  it("is uncertain, and a fault stays what it is", () => {
    expect(toChannelError(new Error("odd")).fault).toBe("uncertain");
    const gone = new ChannelError("gone", "x");
    expect(toChannelError(gone)).toBe(gone);
    expect(toChannelError(new LarkHttpError({ stage: "answered", what: "x", status: 413, reason: "x" })).fault).toBe(
      "too_large",
    );
  });
});
