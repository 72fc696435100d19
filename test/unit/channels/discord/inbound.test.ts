// What an interaction says of place, person and button; forged and malformed ones say nothing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formValues } from "../../../../channels/discord/form-values.ts";
import { actorOf, inboundAction, readCustomId, writeCustomId } from "../../../../channels/discord/inbound.ts";
import {
  type ActedInteraction,
  type FormInteraction,
  madeAt,
  readInteraction,
} from "../../../../channels/discord/interaction.ts";

const rules = { guildAdmins: false };
const member = {
  user: { id: "5", username: "alice", global_name: "Alice" },
  nick: null,
  roles: ["21", "22"],
  permissions: "8",
};
const command = {
  type: 2,
  id: "1288888888888888888",
  application_id: "2",
  token: "t",
  locale: "vi",
  guild_id: "10",
  channel_id: "11",
  channel: { id: "11", type: 0, parent_id: "9", name: "general" },
  member,
  data: { name: "review", type: 1, options: [{ name: "repo", type: 3, value: "demo" }] },
  version: 1,
  entitlements: [],
};

function read(changes: Record<string, unknown> = {}): ActedInteraction {
  const interaction = readInteraction({ ...command, ...changes });
  if (interaction === null || interaction.type === 1) throw new Error("not read");
  return interaction;
}

describe("who acted where", () => {
  it("is the member in the channel, with roles, name and language", () => {
    expect(actorOf(read(), rules)).toEqual({
      conversation: { channel: "discord", workspace: "10", conversation: "11" },
      person: { channel: "discord", workspace: "10", person: "5", name: "Alice" },
      locale: "vi",
      roles: [],
      groups: ["21", "22"],
    });
  });

  it("is an admin as an administrator of the server, where that is configured", () => {
    expect(actorOf(read(), { guildAdmins: true })?.roles).toEqual(["admin"]);
    const plain = read({ member: { ...member, permissions: "1024" } });
    expect(actorOf(plain, { guildAdmins: true })?.roles).toEqual([]);
  });

  it("is the thread's parent channel, with the thread", () => {
    const inThread = read({ channel_id: "77", channel: { id: "77", type: 11, parent_id: "11" } });
    expect(actorOf(inThread, rules)).toMatchObject({ conversation: { conversation: "11" }, thread: "77" });
  });

  it("is nobody in a direct message, unless the button names where its card belongs", () => {
    const { guild_id: _, member: __, ...direct } = command;
    const dm = read({ ...direct, guild_id: undefined, member: undefined, user: { id: "5" }, channel_id: "40" });
    expect(actorOf(dm, rules)).toBeNull();
    expect(actorOf(dm, rules, { guild: "10", channel: "11" })).toMatchObject({
      conversation: { workspace: "10", conversation: "11" },
      groups: [],
    });
  });
});

describe("a press", () => {
  const press = read({ type: 3, message: { id: "90" }, data: { custom_id: "v1:abc", component_type: 2 } });
  const actor = actorOf(press, rules);

  it("has its message, and the thread only where it is not the thread's own first message", () => {
    if (actor === null || press.type !== 3) throw new Error("no press");
    const place = { channel: "discord", workspace: "10", conversation: "11" };
    expect(inboundAction(press, actor, "v1:abc", {})?.message).toEqual({ ...place, message: "90" });
    expect(inboundAction(press, { ...actor, thread: "77" }, "v1:abc", {})?.message).toEqual({
      ...place,
      thread: "77",
      message: "90",
    });
    expect(inboundAction(press, { ...actor, thread: "90" }, "v1:abc", {})?.message).toEqual({
      ...place,
      message: "90",
    });
  });

  it("has a token of ours, or none", () => {
    expect(readCustomId("v1:abc")).toEqual({ token: "v1:abc" });
    expect(readCustomId("v1:abc@10.11")).toEqual({ token: "v1:abc", origin: { guild: "10", channel: "11" } });
    for (const foreign of ["", "v2:abc", "v1:", "v1:a b", "ack", "v1:abc@10", "v1:abc@x.y", `v1:${"a".repeat(61)}`]) {
      expect(readCustomId(foreign)).toBeNull();
    }
  });

  it("has a custom_id that fits, and reads back", () => {
    const snowflake = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
    const token = fc.stringMatching(/^v1:[0-9A-Za-z]{1,26}$/);
    fc.assert(
      fc.property(token, fc.option(fc.record({ guild: snowflake, channel: snowflake })), (given, origin) => {
        const id = { token: given, ...(origin === null ? {} : { origin }) };
        const text = writeCustomId(id);
        expect(text.length).toBeLessThanOrEqual(100);
        expect(readCustomId(text)).toEqual(id);
      }),
    );
  });
});

describe("a form", () => {
  it("has its values by name, in rows and in labels", () => {
    const form = read({
      type: 5,
      message: { id: "90" },
      data: {
        custom_id: "v1:abc",
        components: [
          { type: 18, component: { type: 4, custom_id: "reason", value: "meant so" } },
          { type: 1, components: [{ type: 4, custom_id: "more", value: "" }] },
          { type: 18, component: { type: 10 } },
        ],
      },
    });
    expect(formValues(form as FormInteraction)).toEqual({ reason: "meant so", more: "" });
  });
});

describe("what is read", () => {
  it("is null for what is no interaction, and never throws", () => {
    for (const wrong of [null, 1, "x", [], {}, { type: 2 }, { ...command, id: "x" }, { ...command, data: null }]) {
      expect(readInteraction(wrong)).toBeNull();
    }
    expect(readInteraction({ ...command, type: 99 })).toBeNull();
    expect(readInteraction({ ...command, data: { name: "Menu", type: 3 } })).toBeNull();
    fc.assert(fc.property(fc.jsonValue(), (value) => void readInteraction(value)));
  });

  it("tells when Discord made it", () => {
    expect(madeAt("175928847299117063")).toBe(Date.UTC(2016, 3, 30, 11, 18, 25, 796));
  });
});
