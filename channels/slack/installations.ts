// The bot's tokens: one from the environment for one workspace, or one for each workspace that installed the app, sealed at rest.
import * as z from "zod";
import { AppError } from "../../src/core/errors.ts";
import { ChannelError } from "../../src/ports/channel.ts";
import type { ChannelStore, StoredInstallation } from "../../src/ports/channel-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Ids } from "../../src/ports/ids.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { Sealing } from "../kit/sealing.ts";
import type { SlackBot, SlackIdentity } from "./client-types.ts";
import { channelName } from "./inbound.ts";
import type { OAuthCalls, SlackGrant } from "./oauth-calls.ts";

export interface Installations {
  /** The bot of a workspace. Throws ChannelError `auth` where it is not installed, or Slack refuses its token for good. */
  bot(workspace: string): Promise<SlackBot>;
  /** Slack refused the token of a workspace: it is not used again until the app is installed anew. */
  refused(workspace: string, code: string): void;
  /** Keeps what an installation granted, in place of an earlier one. Returns the workspace. */
  save(grant: SlackGrant): Promise<string>;
  revoke(workspace: string): Promise<void>;
  /** Workspaces whose tokens Slack refuses, with its word for it. */
  readonly dead: ReadonlyMap<string, string>;
}

export interface InstallationsOptions {
  readonly store: ChannelStore;
  readonly sealing: Sealing;
  readonly calls: OAuthCalls;
  readonly authTest: (token: string) => Promise<SlackIdentity>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** What is sealed. */
const secrets = z.strictObject({
  botToken: z.string().min(1),
  botId: z.string(),
  botUserId: z.string().min(1),
  refreshToken: z.string().optional(),
  /** ms since the epoch. */
  expiresAt: z.number().optional(),
});
type Secrets = z.output<typeof secrets>;

/** A token is renewed this long before its end, ms: Slack's live twelve hours. */
const RENEW_BEFORE_MS = 10 * 60_000;
const LEASE_MS = 60_000;
/** How often somebody else's renewal is looked for, and how many times, once the token is over. */
const LOOK_MS = 1_000;
const LOOKS = 10;

export function createInstallations(options: InstallationsOptions): Installations {
  const { store, sealing, calls, clock, logger } = options;
  const owner = options.ids.token();
  const known = new Map<string, Secrets>();
  const renewing = new Map<string, Promise<Secrets>>();
  const dead = new Map<string, string>();

  return {
    dead,
    async bot(workspace) {
      const code = dead.get(workspace);
      if (code !== undefined) throw new ChannelError("auth", `Slack refuses the bot in ${workspace}: ${code}.`);
      let found = known.get(workspace) ?? (await load(workspace));
      if (found === null) throw new ChannelError("auth", `The app is not installed in the workspace ${workspace}.`);
      if (isDue(found)) found = await renewed(workspace);
      return { token: found.botToken, botId: found.botId, botUserId: found.botUserId };
    },
    refused(workspace, code) {
      // A token that is merely over is renewed with the next call.
      if (code === "token_expired") return void known.delete(workspace);
      if (!dead.has(workspace)) logger.error("slack.installation_refused", { workspace, code });
      dead.set(workspace, code);
      known.delete(workspace);
    },
    async save(grant) {
      const { botId } = await options.authTest(grant.botToken);
      const kept = secretsOf(grant, botId);
      await keep(grant, kept);
      known.set(grant.workspace, kept);
      dead.delete(grant.workspace);
      return grant.workspace;
    },
    async revoke(workspace) {
      known.delete(workspace);
      await store.revokeInstallation({ channel: channelName, workspace, now: clock.now() });
    },
  };

  function isDue({ expiresAt, refreshToken }: Secrets): boolean {
    return expiresAt !== undefined && refreshToken !== undefined && expiresAt - RENEW_BEFORE_MS <= clock.now();
  }

  async function load(workspace: string): Promise<Secrets | null> {
    const row = await store.installation(channelName, workspace);
    if (row === null || row.sealed === "" || row.revokedAt !== undefined) return null;
    const opened = openSecrets(row);
    if (sealing.isOld(row.sealed)) {
      await store.saveInstallation({ ...row, sealed: sealing.seal(JSON.stringify(opened), contextOf(workspace)) });
    }
    known.set(workspace, opened);
    return opened;
  }

  function openSecrets({ workspace, sealed }: StoredInstallation): Secrets {
    const parsed = secrets.safeParse(JSON.parse(sealing.open(sealed, contextOf(workspace))));
    if (parsed.success) return parsed.data;
    throw new AppError("corrupt", `The installation of ${workspace} cannot be read.`, {
      remedy: "Install the app again in that workspace.",
    });
  }

  async function keep({ workspace, name }: Pick<SlackGrant, "workspace" | "name">, kept: Secrets): Promise<void> {
    await store.saveInstallation({
      channel: channelName,
      workspace,
      ...(name === undefined ? {} : { name }),
      sealed: sealing.seal(JSON.stringify(kept), contextOf(workspace)),
      installedAt: clock.now(),
    });
  }

  function secretsOf({ botToken, botUserId, refreshToken, expiresIn }: SlackGrant, botId: string): Secrets {
    return {
      botToken,
      botId,
      botUserId,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(expiresIn === undefined ? {} : { expiresAt: clock.now() + expiresIn * 1_000 }),
    };
  }

  /** One renewal a workspace at a time, in all processes: Slack takes a refresh token once, and a second pair would be dead. */
  function renewed(workspace: string): Promise<Secrets> {
    const running = renewing.get(workspace);
    if (running !== undefined) return running;
    const doing = renew(workspace).finally(() => renewing.delete(workspace));
    renewing.set(workspace, doing);
    return doing;
  }

  async function renew(workspace: string): Promise<Secrets> {
    const name = `slack.renew/${workspace}`;
    for (let look = 0; ; look++) {
      const isMine = await store.acquireLease({ name, owner, ttlMs: LEASE_MS, now: clock.now() });
      // Another process may have renewed it since it was read here.
      const stored = await load(workspace);
      if (stored === null) throw new ChannelError("auth", `The app is not installed in the workspace ${workspace}.`);
      if (!isDue(stored) || (!isMine && isGood(stored))) {
        if (isMine) await store.releaseLease(name, owner);
        return stored;
      }
      if (isMine) return exchange(workspace, stored).finally(() => store.releaseLease(name, owner));
      if (look >= LOOKS) throw new ChannelError("not_sent", `The token of ${workspace} is being renewed elsewhere.`);
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    }
  }

  async function exchange(workspace: string, old: Secrets): Promise<Secrets> {
    try {
      const grant = await calls.refresh(old.refreshToken ?? "");
      const kept = secretsOf(grant, old.botId);
      const row = await store.installation(channelName, workspace);
      await keep({ workspace, ...(row?.name === undefined ? {} : { name: row.name }) }, kept);
      known.set(workspace, kept);
      logger.info("slack.token_renewed", { workspace });
      return kept;
    } catch (thrown) {
      const fault = thrown instanceof ChannelError ? thrown.fault : "uncertain";
      logger.warn("slack.token_not_renewed", { workspace, fault });
      if (fault === "auth") dead.set(workspace, "invalid_refresh_token");
      else if (isGood(old)) return old;
      throw thrown;
    }
  }

  /** Whether a token can still be used, due or not. */
  function isGood({ expiresAt }: Secrets): boolean {
    return expiresAt === undefined || expiresAt > clock.now();
  }
}

function contextOf(workspace: string): string {
  return `${channelName}/${workspace}`;
}

export interface SingleInstallation extends Omit<Installations, "save" | "revoke"> {
  /** Asks Slack who the token is, until it answers once. Throws ChannelError. */
  identity(): Promise<SlackIdentity>;
}

/** One workspace, whose token stands in the environment. */
export function createSingleInstallation(
  token: string,
  authTest: (token: string) => Promise<SlackIdentity>,
  logger: Logger,
): SingleInstallation {
  const dead = new Map<string, string>();
  let asking: Promise<SlackIdentity> | undefined;

  function identity(): Promise<SlackIdentity> {
    asking ??= authTest(token).catch((thrown: unknown) => {
      asking = undefined;
      throw thrown;
    });
    return asking;
  }

  return {
    dead,
    identity,
    async bot(workspace) {
      const code = dead.get(workspace);
      if (code !== undefined) throw new ChannelError("auth", `Slack refuses the bot's token: ${code}.`);
      const { workspace: own, enterprise, botId, botUserId } = await identity();
      if (workspace !== own && workspace !== enterprise) {
        throw new ChannelError("auth", `The bot's token is of the workspace ${own}, not of ${workspace}.`);
      }
      return { token, botId, botUserId };
    },
    refused(workspace, code) {
      if (!dead.has(workspace)) logger.error("slack.installation_refused", { workspace, code });
      dead.set(workspace, code);
    },
  };
}
