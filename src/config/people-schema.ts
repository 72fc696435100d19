// Keys of the file that concern people: who has which role, how much they may ask for, and when they want to hear something.
import * as z from "zod";
import { isCronExpression } from "../core/cron-expression.ts";
import { isTimeZone, parseQuietHours } from "../core/quiet-hours.ts";
import { roles } from "../core/roles.ts";
import type { SubscriptionTerms } from "../core/subscription.ts";

const ids = z.array(z.string().min(1)).default([]);

const grant = z
  .strictObject({
    role: z
      .enum(roles)
      .meta({ description: "maintainer: subscribe, mute, dismiss, cancel. admin: larger quotas too." }),
    channel: z.string().min(1).meta({ description: "Name of a channel: web." }),
    workspace: z.string().min(1).default("local").meta({ description: "Team, tenant or guild; local on the web." }),
    people: ids.meta({ description: "Ids of people." }),
    groups: ids.meta({ description: "Ids of groups or roles of the platform." }),
    conversations: ids.meta({
      description: "The only conversations where it holds; without people, for everybody there.",
    }),
  })
  .refine(({ people, groups, conversations }) => people.length + groups.length + conversations.length > 0, {
    message: "needs people, groups or conversations: who has the role, or where",
  });

export const rolesSchema = z.array(grant).default([]);

const perMinute = z.int().min(1).max(100_000);

export const quotasSchema = z
  .strictObject({
    person_per_minute: perMinute.default(10).meta({ description: "Reviews that one person may ask for." }),
    conversation_per_minute: perMinute.default(30).meta({ description: "Reviews that one conversation may ask for." }),
    admin_per_minute: perMinute.default(300).meta({ description: "Reviews that an admin may ask for." }),
  })
  .prefault({});

/** Of a subscription, beside what is heard: whom to call, and when. */
export const hearingKeys = {
  mention: z.literal("author").optional().meta({ description: "author: mention who made a change." }),
  digest: z
    .string()
    .refine(isCronExpression, "must be a cron expression of five fields, such as 0 9 * * 1-5")
    .optional()
    .meta({ description: "When to sum up, as a cron expression." }),
  tz: z
    .string()
    .refine(isTimeZone, "must be a time zone, such as Europe/Berlin")
    .optional()
    .meta({ description: "Time zone of digest and quiet hours; UTC when left out." }),
  quiet: z
    .string()
    .refine((text) => parseQuietHours(text) !== null, "must be two times of day, such as 22:00-08:00")
    .optional()
    .meta({ description: "Hours in which nothing is posted." }),
};

type HearingKeys = { readonly [K in keyof typeof hearingKeys]?: z.output<(typeof hearingKeys)[K]> };

export function hearingOf(one: HearingKeys): Pick<SubscriptionTerms, "mention" | "digest" | "timeZone" | "quiet"> {
  const quiet = one.quiet === undefined ? null : parseQuietHours(one.quiet);
  return {
    ...(one.mention === undefined ? {} : { mention: one.mention }),
    ...(one.digest === undefined ? {} : { digest: one.digest }),
    ...(one.tz === undefined ? {} : { timeZone: one.tz }),
    ...(quiet === null ? {} : { quiet }),
  };
}
