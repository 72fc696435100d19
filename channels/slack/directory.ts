// People, conversations and user groups of a workspace, remembered for a while: the answers change seldom, and groups are dear to ask for.
import * as z from "zod";
import { ChannelError } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { SlackConversation, SlackIdentity, SlackPerson } from "./client-types.ts";
import { understood } from "./post-message.ts";
import { orNull, type WebCalls } from "./web-calls.ts";

export interface Directory {
  openDm(workspace: string, person: string): Promise<string>;
  person(workspace: string, person: string): Promise<SlackPerson | null>;
  conversation(workspace: string, conversation: string): Promise<SlackConversation | null>;
  groupsOf(workspace: string, person: string): Promise<readonly string[]>;
  identify(token: string): Promise<SlackIdentity>;
}

const PERSON_MS = 10 * 60_000;
const GROUPS_MS = 5 * 60_000;
/** A direct conversation keeps its id for good. */
const DM_MS = 24 * 3_600_000;
const MAX_REMEMBERED = 1_000;

const opened = z.looseObject({ channel: z.looseObject({ id: z.string().regex(/^D[A-Z0-9]+$/) }) });
const user = z.looseObject({
  user: z.looseObject({
    id: z.string(),
    name: z.string().optional(),
    real_name: z.string().optional(),
    locale: z.string().optional(),
    tz: z.string().nullish(),
    is_bot: z.boolean().optional(),
    is_restricted: z.boolean().optional(),
    is_ultra_restricted: z.boolean().optional(),
    is_admin: z.boolean().optional(),
    is_owner: z.boolean().optional(),
    profile: z.looseObject({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
  }),
});
const conversation = z.looseObject({
  channel: z.looseObject({
    id: z.string(),
    name: z.string().optional(),
    is_im: z.boolean().optional(),
    is_mpim: z.boolean().optional(),
    is_private: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    is_member: z.boolean().optional(),
  }),
});
const groups = z.looseObject({
  usergroups: z.array(z.looseObject({ id: z.string(), users: z.array(z.string()).optional() })),
});
const identity = z.looseObject({
  team_id: z.string(),
  team: z.string().optional(),
  bot_id: z.string(),
  user_id: z.string(),
  enterprise_id: z.string().nullish(),
  response_metadata: z.looseObject({ scopes: z.array(z.string()).optional() }).optional(),
});

export function createDirectory({ calls, clock }: { readonly calls: WebCalls; readonly clock: Clock }): Directory {
  const dms = createMemory<string>(clock, DM_MS);
  const people = createMemory<SlackPerson | null>(clock, PERSON_MS);
  const members = createMemory<ReadonlyMap<string, readonly string[]>>(clock, GROUPS_MS);

  return {
    openDm: (workspace, person) =>
      dms(`${workspace} ${person}`, async () => {
        const answer = await calls.write(workspace, "conversations.open", { users: person });
        return understood(opened, answer, "conversations.open").channel.id;
      }),
    person: (workspace, person) =>
      people(`${workspace} ${person}`, () =>
        orNull(["user_not_found", "user_not_visible"], async () => {
          const answer = await calls.read(workspace, "users.info", { user: person, include_locale: true });
          return personOf(understood(user, answer, "users.info").user);
        }),
      ),
    conversation: (workspace, id) =>
      orNull(["channel_not_found"], async () => {
        const answer = await calls.read(workspace, "conversations.info", { channel: id });
        return conversationOf(understood(conversation, answer, "conversations.info").channel);
      }),
    async groupsOf(workspace, person) {
      const all = await members(workspace, () => groupsByPerson(workspace));
      return all.get(person) ?? [];
    },
    async identify(token) {
      const answer = await calls.withToken(token, "auth.test");
      const parsed = identity.safeParse(answer);
      if (!parsed.success) throw new ChannelError("auth", "The token is no bot token: Slack names no bot for it.");
      const { team_id, team, bot_id, user_id, enterprise_id, response_metadata } = parsed.data;
      return {
        workspace: team_id,
        workspaceName: team ?? team_id,
        botId: bot_id,
        botUserId: user_id,
        ...(typeof enterprise_id === "string" ? { enterprise: enterprise_id } : {}),
        scopes: response_metadata?.scopes ?? [],
      };
    },
  };

  async function groupsByPerson(workspace: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const byPerson = new Map<string, string[]>();
    const refused = ["missing_scope", "not_allowed_token_type", "permission_denied", "plan_upgrade_required"];
    const answer = await orNull(refused, () => calls.read(workspace, "usergroups.list", { include_users: true }));
    if (answer === null) return byPerson;
    for (const { id, users = [] } of understood(groups, answer, "usergroups.list").usergroups) {
      for (const one of users) byPerson.set(one, [...(byPerson.get(one) ?? []), id]);
    }
    return byPerson;
  }
}

function personOf(found: z.infer<typeof user>["user"]): SlackPerson {
  const { id, name, real_name, locale, tz, profile } = found;
  const names = [profile?.display_name, profile?.real_name, real_name, name];
  return {
    id,
    name: names.find((one) => one !== undefined && one !== "") ?? id,
    ...(locale === undefined || locale === "" ? {} : { locale }),
    ...(typeof tz === "string" && tz !== "" ? { timeZone: tz } : {}),
    isBot: found.is_bot === true,
    isGuest: found.is_restricted === true || found.is_ultra_restricted === true,
    isAdmin: found.is_admin === true || found.is_owner === true,
  };
}

function conversationOf(found: z.infer<typeof conversation>["channel"]): SlackConversation {
  const { id, name, is_im, is_mpim, is_private, is_archived, is_member } = found;
  const shared = is_private === true ? "private" : "public";
  const group = is_mpim === true ? "mpim" : shared;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    kind: is_im === true ? "im" : group,
    isArchived: is_archived === true,
    isMember: is_im === true || is_member === true,
  };
}

/** Answers by name for `ms`; who asks meanwhile shares the call, and a failure is not remembered. */
function createMemory<T>(clock: Clock, ms: number): (name: string, ask: () => Promise<T>) => Promise<T> {
  const known = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();
  return (name, ask) => {
    const standing = known.get(name);
    if (standing !== undefined && standing.until > clock.monotonic()) return standing.answer;
    const entry = { until: clock.monotonic() + ms, answer: ask() };
    known.delete(name);
    known.set(name, entry);
    entry.answer.catch(() => {
      if (known.get(name) === entry) known.delete(name);
    });
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    return entry.answer;
  };
}
