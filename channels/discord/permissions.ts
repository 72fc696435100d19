// What the bot may do in a channel, by Discord's rules: everyone's rights, the roles', then what the channel says otherwise.

/** Bits of the permissions that the bot uses, by the names that Discord's settings show. */
export const permissionBits = {
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  SendMessagesInThreads: 1n << 38n,
} as const;

export type PermissionName = keyof typeof permissionBits;

/** Without these something is not shown. */
export const neededPermissions: readonly PermissionName[] = [
  "ViewChannel",
  "SendMessages",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
  "CreatePublicThreads",
  "SendMessagesInThreads",
];

/** Without it a locked thread stays locked, and the bot writes beside it. */
export const usefulPermissions: readonly PermissionName[] = ["ManageThreads"];

const ADMINISTRATOR = 1n << 3n;
const ALL = ~0n;

/** The number that stands in an invitation's address. */
export function permissionsInteger(names: readonly PermissionName[]): string {
  return String(names.reduce((bits, name) => bits | permissionBits[name], 0n));
}

export interface Overwrite {
  readonly id: string;
  /** 0 of a role, 1 of a member. */
  readonly type: number;
  /** Bits as digits. */
  readonly allow: string;
  readonly deny: string;
}

export interface Place {
  readonly guild: string;
  /** Of the guild. */
  readonly owner: string;
  readonly roles: readonly { readonly id: string; readonly permissions: string }[];
  readonly overwrites: readonly Overwrite[];
}

/** All rights of a member in a channel, as bits. */
export function permissionsIn(
  place: Place,
  member: { readonly id: string; readonly roles: readonly string[] },
): bigint {
  if (member.id === place.owner) return ALL;
  const mine = new Set(member.roles);
  let bits = 0n;
  for (const role of place.roles) {
    if (role.id === place.guild || mine.has(role.id)) bits |= BigInt(role.permissions);
  }
  if ((bits & ADMINISTRATOR) !== 0n) return ALL;
  const layers = [
    place.overwrites.filter(({ id }) => id === place.guild),
    place.overwrites.filter(({ id, type }) => type === 0 && id !== place.guild && mine.has(id)),
    place.overwrites.filter(({ id, type }) => type === 1 && id === member.id),
  ];
  for (const layer of layers) {
    // Of several roles, one that allows outweighs all that deny.
    for (const { deny } of layer) bits &= ~BigInt(deny);
    for (const { allow } of layer) bits |= BigInt(allow);
  }
  return bits;
}

export function missingOf(names: readonly PermissionName[], bits: bigint): readonly PermissionName[] {
  // Who does not see a channel can do nothing in it.
  const isBlind = (bits & permissionBits.ViewChannel) === 0n;
  return names.filter((name) => isBlind || (bits & permissionBits[name]) === 0n);
}
