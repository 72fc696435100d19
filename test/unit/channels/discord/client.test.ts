// What is sent to Discord, and what its answers mean: every row of the error table that concerns sending is a test of this folder.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messageFlags } from "../../../../channels/discord/wire.ts";
import { ChannelError, type ChannelFault } from "../../../../src/ports/channel.ts";
import { type SendingSide, startSendingSide } from "../../../fakes/discord/sending-side.ts";
import { plainPage } from "../../../fakes/scripted-inbox.ts";

let side: SendingSide;
beforeEach(async () => {
  side = await startSendingSide();
});
afterEach(() => side.stop());

async function faultOf(call: Promise<unknown>): Promise<ChannelError> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ChannelError)) throw new Error(`no ChannelError but ${String(thrown)}`);
  return thrown;
}

describe("a new message", () => {
  it("is components that nobody is pinged by, under a nonce of at most 25 characters", async () => {
    const { client, conversation, messages, requests } = side;
    const ref = await client.send({ conversation }, plainPage("Hello @everyone"), "dl_1/0");
    expect(ref).toEqual({ ...conversation, message: messages()[0]?.id });
    const [sent] = requests("POST");
    expect(sent?.body).toMatchObject({ enforce_nonce: true, allowed_mentions: { parse: [] } });
    expect(sent?.body["flags"]).toBe(messageFlags.componentsV2);
    expect(String(sent?.body["nonce"])).toMatch(/^[\w-]{25}$/);
  });

  it("pings whom the page mentions, and nobody else", async () => {
    const { client, conversation, person, messages } = side;
    const other = side.world.newId();
    const page = { ...plainPage(`Look <@${other}> @here`), mentions: [person] };
    await client.send({ conversation }, page, "dl_1/0");
    expect(messages()[0]?.pinged).toEqual([person.person]);
  });

  it("is silent when the page is quiet, also for those whom it mentions", async () => {
    const { client, conversation, person, messages } = side;
    await client.send({ conversation }, { ...plainPage("Line"), quiet: true, mentions: [person] }, "dl_1/0");
    expect((messages()[0]?.flags ?? 0) & messageFlags.quiet).toBe(messageFlags.quiet);
    expect(messages()[0]?.pinged).toEqual([]);
  });

  it("is sent once though the answer was lost: the nonce is the same after a restart", async () => {
    const { client, conversation, fake, messages } = side;
    fake.trouble({ method: "POST", after: true, answer: { status: 502 } });
    const fault = await faultOf(client.send({ conversation }, plainPage("Once"), "dl_1/0"));
    expect(fault.fault).toBe("uncertain");
    const ref = await side.restarted().send({ conversation }, plainPage("Once"), "dl_1/0");
    expect(messages().map(({ id }) => id)).toEqual([ref.message]);
  });

  it("has another nonce for another key, another channel, and the notice that it failed", async () => {
    const { client, conversation, world, requests } = side;
    const other = world.addChannel(conversation.workspace, 0);
    await client.send({ conversation }, plainPage("A"), "dl_1/0");
    await client.send({ conversation }, plainPage("A"), "dl_1/1");
    await client.send({ conversation: side.conversationOf(other.id) }, plainPage("A"), "dl_1/0");
    await client.send({ conversation }, plainPage("It failed"), "dl_2/0");
    expect(new Set(requests("POST").map(({ body }) => body["nonce"])).size).toBe(4);
  });

  it("goes to no other channel adapter's conversation", async () => {
    const { client, conversation } = side;
    const target = { conversation: { ...conversation, channel: "slack" } };
    expect((await faultOf(client.send(target, plainPage("Lost"), "dl_1/0"))).fault).toBe("rejected");
    const elsewhere = { conversation: { ...conversation, conversation: "../../guilds" } };
    expect((await faultOf(client.send(elsewhere, plainPage("Lost"), "dl_1/0"))).fault).toBe("rejected");
    expect(side.fake.requests).toHaveLength(0);
  });
});

describe("what Discord answers to a new message", () => {
  const rows: readonly (readonly [number, number, ChannelFault, string])[] = [
    [404, 10003, "forbidden", "unknown channel"],
    [404, 10004, "forbidden", "unknown server"],
    [403, 50001, "forbidden", "missing access"],
    [403, 50013, "forbidden", "missing permissions"],
    [429, 20028, "rate_limited", "channel write limit"],
    [429, 20029, "rate_limited", "server write limit"],
    [429, 40062, "rate_limited", "service limit"],
    [403, 20026, "auth", "held for spam"],
    [403, 40333, "auth", "no real User-Agent"],
    [401, 0, "auth", "refused token"],
    [403, 0, "rate_limited", "blocked before Discord"],
    [500, 0, "uncertain", "broken"],
    [503, 0, "uncertain", "away"],
    [400, 50024, "rejected", "wrong channel type"],
  ];
  it.each(rows)("%i with code %i is %s (%s), after one try", async (status, code, fault) => {
    const { client, conversation, fake } = side;
    await client.send({ conversation }, plainPage("Warm"), "dl_0/0");
    const before = fake.requests.length;
    fake.trouble({ method: "POST", times: 9, answer: { status, code, retryAfter: status === 429 ? 30 : 0 } });
    const error = await faultOf(client.send({ conversation }, plainPage("Hello"), "dl_1/0"));
    expect(error.fault).toBe(fault);
    expect(fake.requests.length - before).toBe(1);
  });

  it("names the exact rights that are missing", async () => {
    const { client, conversation, world } = side;
    world.deny(conversation.conversation, "SendMessages");
    const error = await faultOf(client.send({ conversation }, plainPage("Hello"), "dl_1/0"));
    expect(error).toMatchObject({ fault: "forbidden" });
    expect(error.message).toContain("View Channel, Send Messages");
    world.deny(conversation.conversation, "ViewChannel");
    client.forgetChannel(conversation.conversation);
    const blind = await faultOf(client.send({ conversation }, plainPage("Hello"), "dl_1/0"));
    expect(blind).toMatchObject({ fault: "forbidden", message: expect.stringContaining("View Channel") });
  });

  it.each(["user", "global", "shared"] as const)("a long limit (%s) is given back with its time", async (scope) => {
    const { client, conversation, fake, messages } = side;
    fake.trouble({ method: "POST", answer: { status: 429, retryAfter: 1_337, scope } });
    const error = await faultOf(client.send({ conversation }, plainPage("Hello"), "dl_1/0"));
    expect(error.fault).toBe("rate_limited");
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(1_337_000);
    expect(messages()).toHaveLength(0);
  });

  it("a short limit is waited out, and the message is there once", async () => {
    const { client, conversation, fake, messages } = side;
    fake.trouble({ method: "POST", answer: { status: 429, retryAfter: 0.01 } });
    await client.send({ conversation }, plainPage("Hello"), "dl_1/0");
    expect(messages()).toHaveLength(1);
  });

  it("a limit that names no time is not asked again at once", async () => {
    const { client, conversation, fake } = side;
    fake.trouble({ method: "POST", times: 50, answer: { status: 429, bare: true } });
    const error = await faultOf(client.send({ conversation }, plainPage("Hello"), "dl_1/0"));
    expect(error).toMatchObject({ fault: "rate_limited" });
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(60_000);
    expect(side.requests("POST")).toHaveLength(1);
  });

  it("a cut connection is uncertain; one that never was is not sent", async () => {
    const { client, conversation, fake } = side;
    await client.send({ conversation }, plainPage("Warm"), "dl_0/0");
    fake.trouble({ method: "POST", silence: "cut" });
    expect((await faultOf(client.send({ conversation }, plainPage("A"), "dl_1/0"))).fault).toBe("uncertain");
    await fake.close();
    expect((await faultOf(client.send({ conversation }, plainPage("A"), "dl_3/0"))).fault).toBe("not_sent");
  });

  it("what only prepares a message is never uncertain: the message was not sent", async () => {
    const { client, conversation, fake } = side;
    fake.trouble({ method: "GET", silence: "cut" });
    expect((await faultOf(client.send({ conversation }, plainPage("A"), "dl_1/0"))).fault).toBe("not_sent");
    fake.trouble({ method: "GET", answer: { status: 500 } });
    expect((await faultOf(client.send({ conversation }, plainPage("A"), "dl_1/0"))).fault).toBe("not_sent");
  });

  it("a 401 does not make the client forget its token: the next call works", async () => {
    const { client, conversation, fake, messages } = side;
    fake.trouble({ method: "POST", answer: { status: 401 } });
    expect((await faultOf(client.send({ conversation }, plainPage("A"), "dl_1/0"))).fault).toBe("auth");
    await client.send({ conversation }, plainPage("A"), "dl_1/0");
    expect(messages()).toHaveLength(1);
  });

  it("no error holds the token", async () => {
    const { conversation, world } = side;
    const wrong = await startSendingSide({ token: "wrong.secret.token" });
    const error = await faultOf(wrong.client.send({ conversation: wrong.conversation }, plainPage("A"), "dl_1/0"));
    expect(error.fault).toBe("auth");
    expect(JSON.stringify([error.message, error.cause, error.stack])).not.toContain("secret");
    expect(conversation.workspace).toBe([...world.guilds.keys()][0]);
    await wrong.stop();
  });
});

describe("a body that Discord refuses", () => {
  it("is sent once more as a plain embed with its buttons, and its place is logged (50035)", async () => {
    const { client, conversation, fake, messages, logged } = side;
    fake.trouble({ method: "POST", answer: { status: 400, code: 50035, message: "Invalid Form Body" } });
    const action = { label: "Dismiss", token: "v1:abc", style: "danger" } as const;
    const page = plainPage("Report", {
      link: "https://git.example.org/c/1",
      blocks: [{ kind: "actions", actions: [action] }],
    });
    await client.send({ conversation }, page, "dl_1/0");
    expect(messages()).toHaveLength(1);
    expect(messages()[0]?.embeds[0]).toMatchObject({ title: "Report", url: "https://git.example.org/c/1" });
    expect(JSON.stringify(messages()[0]?.components)).toContain("v1:abc");
    expect(logged).toContain("discord.body_refused");
  });

  it("is rejected when the plain form is refused too, and never tried in a circle", async () => {
    const { client, conversation, fake, requests } = side;
    fake.trouble({ method: "POST", times: 9, answer: { status: 400, code: 50035 } });
    expect((await faultOf(client.send({ conversation }, plainPage("A"), "dl_1/0"))).fault).toBe("rejected");
    expect(requests("POST")).toHaveLength(2);
  });

  it("is shown without its text, and says so, when a filter holds it back", async () => {
    for (const code of [200000, 240000]) {
      const { client, conversation, fake, messages, logged } = side;
      fake.trouble({ method: "POST", answer: { status: 400, code } });
      const action = { label: "Dismiss", token: "v1:abc", style: "danger" } as const;
      const page = plainPage("Bad words", {
        link: "https://bad.example",
        blocks: [{ kind: "actions", actions: [action] }],
      });
      await client.send({ conversation }, page, `dl_${code}/0`);
      const shown = JSON.stringify(messages().at(-1)?.components);
      expect(shown).toContain("filters did not let the text");
      expect(shown).toContain("v1:abc");
      expect(shown).not.toContain("Bad words");
      expect(shown).not.toContain("bad.example");
      expect(logged).toContain("discord.filtered");
    }
  });

  it("is too large when Discord breaks over its size, and uncertain when it merely breaks", async () => {
    const { client, conversation, fake } = side;
    const text = { kind: "text", children: [{ kind: "text", text: "\u8bc4".repeat(2_750) }] } as const;
    fake.trouble({ method: "POST", answer: { status: 500 } });
    const large = await faultOf(client.send({ conversation }, plainPage("Large", { blocks: [text] }), "dl_1/0"));
    expect(large.fault).toBe("too_large");
    fake.trouble({ method: "POST", answer: { status: 500 } });
    expect((await faultOf(client.send({ conversation }, plainPage("Small"), "dl_2/0"))).fault).toBe("uncertain");
  });
});

describe("an edit", () => {
  it("keeps the message's files, and pings nobody though the page mentions somebody", async () => {
    const { client, conversation, person, requests } = side;
    const ref = await client.send({ conversation }, plainPage("Before"), "dl_1/0");
    await client.edit(ref, { ...plainPage("After"), mentions: [person] });
    const [edit] = requests("PATCH");
    expect(edit?.body).not.toHaveProperty("attachments");
    expect(edit?.body["allowed_mentions"]).toEqual({ parse: [] });
    expect(side.messages()[0]?.pinged).toEqual([]);
    expect(JSON.stringify(side.messages()[0]?.components)).toContain("After");
  });

  it.each([
    [404, 10008, "gone"],
    [429, 30046, "gone"],
    [404, 10003, "forbidden"],
    [403, 50013, "forbidden"],
    [500, 0, "uncertain"],
  ] as const)("answered with %i and code %i is %s, after one try", async (status, code, fault) => {
    const { client, conversation, fake, requests } = side;
    const ref = await client.send({ conversation }, plainPage("Before"), "dl_1/0");
    fake.trouble({
      method: "PATCH",
      times: 9,
      answer: { status, code, ...(status === 429 ? { retryAfter: 600 } : {}) },
    });
    expect((await faultOf(client.edit(ref, plainPage("After")))).fault).toBe(fault);
    expect(requests("PATCH")).toHaveLength(1);
  });

  it("of an old message ends when Discord takes no more of them (30046)", async () => {
    const { client, conversation, clock } = side;
    const ref = await client.send({ conversation }, plainPage("Before"), "dl_1/0");
    clock.advance(2 * 3_600_000);
    for (let n = 0; n < 5; n++) await client.edit(ref, plainPage(`Edit ${n}`));
    expect((await faultOf(client.edit(ref, plainPage("One more")))).fault).toBe("gone");
  });

  it("turns a message of the plain form into components again", async () => {
    const { client, conversation, fake, messages } = side;
    fake.trouble({ method: "POST", answer: { status: 400, code: 50035 } });
    const ref = await client.send({ conversation }, plainPage("Plain"), "dl_1/0");
    await client.edit(ref, plainPage("Edited"));
    expect(messages()[0]?.embeds).toEqual([]);
    expect(JSON.stringify(messages()[0]?.components)).toContain("Edited");
    // The fake notes that the first form was refused, as Discord would.
    expect(fake.takeMistakes()).toEqual([expect.stringContaining("cannot become V2")]);
  });
});

describe("removing and linking", () => {
  it("removes once, and what is gone already is no fault", async () => {
    const { client, conversation, messages } = side;
    const ref = await client.send({ conversation }, plainPage("Oops"), "dl_1/0");
    await client.remove(ref);
    await client.remove(ref);
    expect(messages()).toHaveLength(0);
  });

  it("gives the address under which Discord shows the message", async () => {
    const { client, conversation } = side;
    const root = await client.send({ conversation }, plainPage("Root"), "dl_1/0");
    const reply = await client.send({ conversation, thread: root.message }, plainPage("Reply"), "dl_1/1");
    const server = `https://discord.com/channels/${conversation.workspace}`;
    expect(await client.permalink(root)).toBe(`${server}/${conversation.conversation}/${root.message}`);
    expect(await client.permalink(reply)).toBe(`${server}/${root.message}/${reply.message}`);
  });
});
