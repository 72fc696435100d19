// Registers the commands where they belong, and writes nothing when Discord has them already.
import { createHash } from "node:crypto";
import type { ChannelStore } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { CommandCalls } from "./client.ts";
import { isRegistered } from "./command-drift.ts";
import type { CommandBody } from "./commands.ts";

export interface RegistrationPorts {
  readonly client: CommandCalls;
  readonly store: Pick<ChannelStore, "note" | "saveNote">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly applicationId: string;
  /** Guilds that get the commands; empty: all of them, as global commands. */
  readonly guilds: readonly string[];
}

export interface Registered {
  /** Scopes that were written: `global`, or a guild's id. */
  readonly written: readonly string[];
  /** What could not be registered, a sentence each; empty when people have all commands. */
  readonly mistakes: readonly string[];
}

const GLOBAL = "global";

/**
 * A scope's commands are written when they changed, or when Discord has others. Commands of a scope that no longer has any are taken
 * away: global and guild commands of one name would both be shown. Never throws.
 */
export async function registerCommands(
  { client, store, clock, logger, applicationId, guilds }: RegistrationPorts,
  commands: readonly CommandBody[],
): Promise<Registered> {
  const scopes = guilds.length === 0 ? [GLOBAL] : guilds;
  const written: string[] = [];
  const mistakes: string[] = [];
  const scopesKey = `scopes:${applicationId}`;
  const before = (await store.note("discord", scopesKey)) ?? "";
  const abandoned = before.split(",").filter((scope) => scope !== "" && !scopes.includes(scope));
  const kept = new Set(abandoned);
  for (const [scope, wanted] of [
    ...scopes.map((one) => [one, commands] as const),
    ...abandoned.map((one) => [one, []] as const),
  ]) {
    try {
      if (await bring(scope, wanted)) written.push(scope);
      if (wanted.length > 0) kept.add(scope);
      else kept.delete(scope);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      logger.warn("discord.commands_not_registered", { scope, error });
      if (wanted.length > 0) mistakes.push(`The commands of ${scopeName(scope)} are not registered: ${error}`);
    }
  }
  await store.saveNote("discord", scopesKey, [...kept].join(","));
  return { written, mistakes };

  /** Whether something was written. */
  async function bring(scope: string, wanted: readonly CommandBody[]): Promise<boolean> {
    const key = `commands:${applicationId}:${scope}`;
    const hash = hashOf(wanted);
    const [noted, triedAt] = ((await store.note("discord", key)) ?? "").split("@");
    const now = clock.now();
    // After the day's limit was reached, nothing is asked for until the next day.
    if (noted === "limit" && now < Number(triedAt) + DAY_MS) throw new Error(DAY_LIMIT);
    const guild = scope === GLOBAL ? undefined : scope;
    const current = await listed(guild);
    // Who cannot say what is there is believed to have what was written last.
    if (current === null ? noted === hash : isRegistered(wanted, current)) {
      if (noted !== hash) await store.saveNote("discord", key, hash);
      return false;
    }
    if (noted === hash) logger.warn("discord.commands_drifted", { scope });
    const outcome = await client.replaceCommands(wanted, guild);
    if (outcome === "over_limit") {
      await store.saveNote("discord", key, `limit@${now}`);
      throw new Error(DAY_LIMIT);
    }
    await store.saveNote("discord", key, hash);
    logger.info("discord.commands_registered", { scope, commands: wanted.length });
    return true;
  }

  async function listed(guild: string | undefined): Promise<readonly unknown[] | null> {
    try {
      return await client.commands(guild);
    } catch (thrown) {
      logger.warn("discord.commands_not_listed", { error: thrown instanceof Error ? thrown.message : String(thrown) });
      return null;
    }
  }
}

const DAY_MS = 24 * 3_600_000;
const DAY_LIMIT = "Discord takes no more commands today; they are tried again tomorrow.";

function hashOf(commands: readonly CommandBody[]): string {
  return createHash("sha256").update(JSON.stringify(commands)).digest("hex");
}

function scopeName(scope: string): string {
  return scope === GLOBAL ? "all servers" : `the server ${scope}`;
}
