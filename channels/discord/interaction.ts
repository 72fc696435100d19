// An interaction as Discord sends it, over the gateway or by HTTP: what we need of it, checked.
import * as z from "zod";

const snowflake = z.string().regex(/^\d{1,20}$/);

const user = z.object({
  id: snowflake,
  username: z.string().optional(),
  global_name: z.string().nullish(),
});

const member = z.object({
  user,
  nick: z.string().nullish(),
  roles: z.array(snowflake),
  /** All rights of the person in this channel, as bits. */
  permissions: z
    .string()
    .regex(/^\d{1,30}$/)
    .optional(),
});

/** Every interaction but the ping. */
const common = {
  id: snowflake,
  application_id: snowflake,
  /** Answers the interaction for 15 minutes; a secret until then. */
  token: z.string().min(1).max(1_000),
  locale: z.string().max(20).optional(),
  guild_id: snowflake.optional(),
  channel_id: snowflake.optional(),
  channel: z.object({ id: snowflake, type: z.int().optional(), parent_id: snowflake.nullish() }).optional(),
  /** Who acted, in a server. */
  member: member.optional(),
  /** Who acted, in a direct message. */
  user: user.optional(),
};

const scalar = z.union([z.string().max(6_000), z.number(), z.boolean()]);

/** An option, or a sub-command that holds options. */
const innerOption = z.object({
  name: z.string(),
  value: scalar.optional(),
  focused: z.boolean().optional(),
});

const commandData = z.object({
  name: z.string(),
  /** 1: a slash command; other kinds of commands are not ours. */
  type: z.literal(1).default(1),
  options: z.array(innerOption.extend({ options: z.array(innerOption).optional() })).default([]),
});

const textField = z.object({ custom_id: z.string().max(100), value: z.string().max(4_000) });

/** A submitted form: rows with one field each, or labels with one. */
const modalData = z.object({
  custom_id: z.string().max(100),
  components: z.array(
    z.object({
      components: z.array(textField.partial()).optional(),
      component: textField.partial().optional(),
    }),
  ),
});

const message = z.object({ id: snowflake, channel_id: snowflake.optional() });

const interactionSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal(1) }),
  z.object({ type: z.literal(2), ...common, data: commandData }),
  z.object({
    type: z.literal(3),
    ...common,
    message,
    data: z.object({ custom_id: z.string().max(100), component_type: z.int() }),
  }),
  z.object({ type: z.literal(4), ...common, data: commandData }),
  z.object({ type: z.literal(5), ...common, message: message.optional(), data: modalData }),
]);

export type Interaction = z.output<typeof interactionSchema>;
export type CommandInteraction = Extract<Interaction, { type: 2 }>;
export type AutocompleteInteraction = Extract<Interaction, { type: 4 }>;
export type PressInteraction = Extract<Interaction, { type: 3 }>;
export type FormInteraction = Extract<Interaction, { type: 5 }>;
export type ActedInteraction = Exclude<Interaction, { type: 1 }>;
export type CommandData = CommandInteraction["data"];
export type GivenOption = z.output<typeof innerOption>;

/** Null for what is no interaction of a kind that we know; fields that we do not use are not looked at. */
export function readInteraction(payload: unknown): Interaction | null {
  const parsed = interactionSchema.safeParse(payload);
  return parsed.success ? parsed.data : null;
}

/** 1 January 2015 UTC: where Discord's ids begin to count ms. */
const DISCORD_EPOCH = 1_420_070_400_000n;

/** When something was made, by its id: ms since the epoch. */
export function madeAt(id: string): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH);
}
