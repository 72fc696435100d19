// The permissions integer of the invitation, and what a member may do in a channel, as discord.js computes it.
import { PermissionsBitField } from "discord.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  missingOf,
  neededPermissions,
  type Overwrite,
  permissionBits,
  permissionsIn,
  permissionsInteger,
  usefulPermissions,
} from "../../../../channels/discord/permissions.ts";

const guild = "1";
const me = { id: "9", roles: ["2", "3"] };
const roles = (everyone: bigint, second = 0n, third = 0n) => [
  { id: guild, permissions: String(everyone) },
  { id: "2", permissions: String(second) },
  { id: "3", permissions: String(third) },
  { id: "4", permissions: String(~0n & 0xffffffffffffffn) },
];
const overwrite = (id: string, type: number, allow: bigint, deny: bigint): Overwrite => ({
  id,
  type,
  allow: String(allow),
  deny: String(deny),
});

describe("the permissions", () => {
  it("have Discord's own bits, and make the numbers that the documents name", () => {
    expect(permissionBits).toMatchObject(
      Object.fromEntries(
        Object.keys(permissionBits).map((name) => [name, PermissionsBitField.Flags[name as "ViewChannel"]]),
      ),
    );
    expect(permissionsInteger(neededPermissions)).toBe("309237763072");
    expect(permissionsInteger([...neededPermissions, ...usefulPermissions])).toBe("326417632256");
  });

  it("never ask for what a review bot has no use for", () => {
    const asked = BigInt(permissionsInteger([...neededPermissions, ...usefulPermissions]));
    for (const name of [
      "Administrator",
      "MentionEveryone",
      "ManageMessages",
      "ManageChannels",
      "ManageGuild",
    ] as const) {
      expect(asked & PermissionsBitField.Flags[name]).toBe(0n);
    }
  });
});

describe("what a member may do in a channel", () => {
  const view = permissionBits.ViewChannel;
  const send = permissionBits.SendMessages;
  const place = { guild, owner: "8", roles: roles(view | send), overwrites: [] };

  it.each<[string, readonly Overwrite[], bigint]>([
    ["everyone's rights", [], view | send],
    ["not what the channel denies everyone", [overwrite(guild, 0, 0n, send)], view],
    [
      "what one of the roles is allowed, though another is denied it",
      [overwrite("2", 0, 0n, send), overwrite("3", 0, send, 0n)],
      view | send,
    ],
    [
      "not what the member is denied, whatever the roles are allowed",
      [overwrite("3", 0, send, 0n), overwrite("9", 1, 0n, send)],
      view,
    ],
    [
      "nothing of roles and members that are not it",
      [overwrite("4", 0, 0n, view), overwrite("7", 1, 0n, view)],
      view | send,
    ],
  ])("is %s", (_name, overwrites, bits) => {
    expect(permissionsIn({ ...place, overwrites }, me)).toBe(bits);
  });

  it("is everything for the owner and for administrators, whatever the channel says", () => {
    const overwrites = [overwrite(guild, 0, 0n, view | send)];
    expect(missingOf(neededPermissions, permissionsIn({ ...place, owner: "9", overwrites }, me))).toEqual([]);
    const admin = { ...place, roles: roles(view, 1n << 3n), overwrites };
    expect(missingOf(neededPermissions, permissionsIn(admin, me))).toEqual([]);
  });

  it("is nothing where the channel is not seen", () => {
    expect(missingOf(["SendMessages", "AttachFiles"], ~0n & ~view)).toEqual(["SendMessages", "AttachFiles"]);
  });

  it("does not depend on the order of roles and overwrites", () => {
    const bits = fc.bigInt({ min: 0n, max: (1n << 40n) - 1n });
    const layers = fc.array(fc.tuple(fc.constantFrom(guild, "2", "3", "4", "9"), bits, bits), { maxLength: 6 });
    fc.assert(
      fc.property(layers, bits, (given, everyone) => {
        const overwrites = [...new Map(given.map((one) => [one[0], one])).values()].map(([id, allow, deny]) =>
          overwrite(id, id === "9" ? 1 : 0, allow, deny),
        );
        const there = { ...place, roles: roles(everyone), overwrites };
        const turned = { ...place, roles: [...roles(everyone)].reverse(), overwrites: [...overwrites].reverse() };
        expect(permissionsIn(turned, me)).toBe(permissionsIn(there, me));
      }),
    );
  });
});
