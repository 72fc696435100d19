// What the doctor looks at on the platforms: each channel brings its own checks, loaded only when they are asked for.
import { composeTexts } from "../compose-texts.ts";
import type { Config } from "../config/config.ts";
import type { ConversationRef } from "../core/delivery.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { DoctorCheck } from "./doctor-checks.ts";

/** The areas of the doctor that are platforms. */
export const channelAreas = ["slack", "lark", "discord"] as const;
export type ChannelArea = (typeof channelAreas)[number];

export interface ChannelDoctorPorts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Lark: where the test card goes, `oc_…` or `ou_…`; a subscribed chat when absent. */
  readonly to?: string;
  /** Lark: how long to wait for somebody to press the test card's button, s; 0: the click is not tested. */
  readonly clickSeconds: number;
}

export interface ChannelDoctor {
  /** To be run one after another. */
  readonly checks: readonly DoctorCheck[];
  /** Takes back what the checks left. */
  close(): Promise<void>;
}

/** The platforms that the configuration switches on. */
export function configuredAreas({ channels }: Config): readonly ChannelArea[] {
  return channelAreas.filter((area) => channels[area]?.enabled === true);
}

/** Throws AppError `config` when a secret is not set. */
export async function channelDoctor(areas: readonly ChannelArea[], ports: ChannelDoctorPorts): Promise<ChannelDoctor> {
  const { config, store, clock, ids, logger, to, clickSeconds } = ports;
  const { slack, lark, discord } = config.channels;
  const conversations = await subscribed(ports);
  const secret = (name: string): string | undefined => config.channelSecrets[name];
  const texts = async () => composeTexts(config);
  const { publicUrl } = config.server;
  const common = { secret, clock, ids, logger, texts, conversations, locale: config.language, commandName: "review" };
  const checks: DoctorCheck[] = [];
  const closing: (() => Promise<void>)[] = [];
  if (slack !== undefined && areas.includes("slack")) {
    const { slackChecks } = await import("../../channels/slack/doctor.ts");
    const address = publicUrl === undefined ? {} : { publicUrl };
    checks.push(...(await slackChecks({ ...common, ...address, config: slack, store })));
  }
  if (lark !== undefined && areas.includes("lark")) {
    const { larkDoctor } = await import("../../channels/lark/doctor.ts");
    const place = to ?? conversations.find(({ channel }) => channel === "lark")?.conversation;
    const target = place === undefined ? {} : { to: place };
    const doctor = larkDoctor({ ...common, ...target, config: lark, store, clickSeconds });
    checks.push(...doctor.checks);
    closing.push(doctor.close);
  }
  if (discord !== undefined && areas.includes("discord")) {
    const { discordChecks } = await import("../../channels/discord/doctor-checks.ts");
    checks.push(...discordChecks({ ...common, config: discord }));
  }
  return {
    checks,
    async close() {
      for (const close of closing) await close();
    },
  };
}

/** Every conversation that is subscribed to something, by the configuration or by command, once. */
async function subscribed({ config, store }: ChannelDoctorPorts): Promise<readonly ConversationRef[]> {
  const byCommand = await Promise.all(config.repositories.map(({ alias }) => store.subscriptionsOf(alias)));
  const all = [...config.subscriptions, ...byCommand.flat()].map(({ conversation }) => conversation);
  return [...new Map(all.map((one) => [JSON.stringify([one.channel, one.workspace, one.conversation]), one])).values()];
}
