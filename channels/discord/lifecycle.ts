// What happens to servers and channels, told to the core: the bot was invited or removed, a channel was deleted or renamed.
import * as z from "zod";
import type { Inbox } from "../../src/ports/channel.ts";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { ShardPlace } from "./gateway-connection.ts";

const snowflake = z.string().regex(/^\d{1,20}$/);
const guildRef = z.object({ id: snowflake, unavailable: z.boolean().optional() });
const channel = z.object({ id: snowflake, guild_id: snowflake.optional(), name: z.string().nullish() });
const ready = z.object({ guilds: z.array(guildRef) });
const created = guildRef.extend({ channels: z.array(channel).default([]) });
const inGuild = channel.extend({ guild_id: snowflake });

export interface LifecyclePorts {
  readonly store: Pick<ChannelStore, "note" | "saveNote">;
  readonly applicationId: string;
  /** What the client knew of a channel is no longer so. */
  readonly forgetChannel: (channel: string) => void;
  readonly logger: Logger;
}

export interface Lifecycle {
  /** Events one after another, in their order. Never throws. */
  hear(type: string, data: unknown, shard: ShardPlace, inbox: Inbox): Promise<void>;
}

export function createLifecycle({ store, applicationId, forgetChannel, logger }: LifecyclePorts): Lifecycle {
  const key = `guilds:${applicationId}`;
  /** Names of channels, so that other changes to a channel are no renaming. */
  const names = new Map<string, string>();
  let last: Promise<void> = Promise.resolve();

  async function hear(type: string, data: unknown, shard: ShardPlace, inbox: Inbox): Promise<void> {
    switch (type) {
      case "READY": {
        const known = await knownGuilds();
        const here = new Set(ready.parse(data).guilds.map(({ id }) => id));
        // Invited or removed while nobody listened. Each shard knows its own guilds.
        for (const id of here) if (!known.has(id)) await installed(id, inbox);
        for (const id of known) if (!here.has(id) && isOf(id, shard)) await uninstalled(id, inbox);
        return;
      }
      case "GUILD_CREATE": {
        const { id, unavailable, channels } = created.parse(data);
        for (const { id: one, name } of channels) if (name != null) names.set(one, name);
        if (unavailable !== true && !(await knownGuilds()).has(id)) await installed(id, inbox);
        return;
      }
      case "GUILD_DELETE": {
        const { id, unavailable } = guildRef.parse(data);
        // An outage of Discord's is no removal.
        if (unavailable !== true) await uninstalled(id, inbox);
        return;
      }
      case "CHANNEL_CREATE": {
        const { id, name } = channel.parse(data);
        if (name != null) names.set(id, name);
        return;
      }
      case "CHANNEL_UPDATE": {
        const { id, guild_id, name } = inGuild.parse(data);
        forgetChannel(id);
        if (name == null || names.get(id) === name) return;
        names.set(id, name);
        await inbox.lifecycle({ kind: "renamed", conversation: placeOf(guild_id, id), name });
        return;
      }
      case "CHANNEL_DELETE": {
        const { id, guild_id } = inGuild.parse(data);
        names.delete(id);
        forgetChannel(id);
        await inbox.lifecycle({ kind: "left", conversation: placeOf(guild_id, id) });
        return;
      }
      case "THREAD_UPDATE":
      case "THREAD_DELETE":
        // A thread is a part of its conversation: it is un-archived, or done without, when something is sent there.
        forgetChannel(channel.parse(data).id);
    }
  }

  async function installed(workspace: string, inbox: Inbox): Promise<void> {
    await inbox.lifecycle({ kind: "installed", channel: "discord", workspace });
    await saveGuilds((guilds) => guilds.add(workspace));
  }

  async function uninstalled(workspace: string, inbox: Inbox): Promise<void> {
    await inbox.lifecycle({ kind: "uninstalled", channel: "discord", workspace });
    await saveGuilds((guilds) => guilds.delete(workspace));
  }

  async function knownGuilds(): Promise<Set<string>> {
    const note = await store.note("discord", key);
    return new Set(note === null || note === "" ? [] : note.split(","));
  }

  async function saveGuilds(change: (guilds: Set<string>) => void): Promise<void> {
    const guilds = await knownGuilds();
    change(guilds);
    await store.saveNote("discord", key, [...guilds].sort().join(","));
  }

  return {
    hear(type, data, shard, inbox) {
      last = last.then(async () => {
        try {
          await hear(type, data, shard, inbox);
        } catch (thrown) {
          logger.warn("discord.event_failed", {
            type,
            error: thrown instanceof Error ? thrown.message : String(thrown),
          });
        }
      });
      return last;
    },
  };
}

function placeOf(workspace: string, conversation: string) {
  return { channel: "discord", workspace, conversation };
}

/** The shard that Discord gives a guild's events to. */
function isOf(guild: string, { shard, of }: ShardPlace): boolean {
  return Number((BigInt(guild) >> 22n) % BigInt(of)) === shard;
}
