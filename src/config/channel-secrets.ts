// The secrets of the channels: which variables must hold one, and what they hold.
import { secretsOfDiscord } from "../../channels/discord/config.ts";
import { secretsOfLark } from "../../channels/lark/config.ts";
import { secretsOfSlack } from "../../channels/slack/config.ts";
import { isLoopback } from "./check-source.ts";
import type { ConfigPath, Mistake } from "./mistakes.ts";
import { type Add, type Raw, record } from "./raw.ts";
import type { ConfigFile } from "./schema.ts";
import { isUnset, unsetText } from "./secret-name.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Complains, in a group as it is written, of every variable that is named and holds nothing; a channel that is off needs none. */
export function checkChannelSecrets(channels: Raw, env: Env, add: Add): void {
  for (const [name, settings] of Object.entries(channels)) {
    if (record(settings)["enabled"] !== false) checkNames(settings, ["channels", name], env, add);
  }
}

/** Complains of platforms' addresses that would carry a token or a secret unencrypted over a network. */
export function checkChannelAddresses(channels: Raw, add: Add): void {
  const settings = [
    ["slack", "api_url"],
    ["lark", "domain"],
    ["discord", "api_url"],
  ] as const;
  for (const [channel, setting] of settings) {
    const value = record(channels[channel])[setting];
    if (typeof value !== "string" || !value.startsWith("http://") || !URL.canParse(value)) continue;
    const host = new URL(value).hostname.replace(/^\[|\]$/g, "");
    if (isLoopback(host)) continue;
    const text = `channels.${channel}.${setting} would send the bot's secret unencrypted to ${host}. Use https://.`;
    add(["channels", channel, setting], text);
  }
}

function checkNames(value: unknown, path: ConfigPath, env: Env, add: Add): void {
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(record(value));
  for (const [key, inner] of entries) {
    const at = [...path, key];
    const named = String(key);
    if (named.endsWith("_env") && isUnset(inner, env)) add(at, unsetText(inner));
    else if (named.endsWith("_envs") && Array.isArray(inner)) {
      for (const [place, one] of inner.entries()) if (isUnset(one, env)) add([...at, place], unsetText(one));
    } else checkNames(inner, at, env, add);
  }
}

/** Variables that are needed by default, so that no line of the file names them. */
export function unnamedMistakes(channels: ConfigFile["channels"], raw: Raw, env: Env): readonly Mistake[] {
  return neededSecrets(channels).flatMap(({ channel, name }) =>
    isUnset(name, env) && !JSON.stringify(raw[channel]).includes(JSON.stringify(name))
      ? [{ path: ["channels", channel], text: unsetText(name) }]
      : [],
  );
}

/** By name, the secrets that the configured channels need. */
export function resolveChannelSecrets(channels: ConfigFile["channels"], env: Env): Readonly<Record<string, string>> {
  const held = neededSecrets(channels).map(({ name }) => [name, env[name]] as const);
  return Object.fromEntries(held.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

function neededSecrets({ slack, lark, discord }: ConfigFile["channels"]): readonly { channel: string; name: string }[] {
  const of = (channel: string, names: readonly string[]) => names.map((name) => ({ channel, name }));
  return [
    ...(slack === undefined ? [] : of("slack", secretsOfSlack(slack))),
    ...(lark === undefined ? [] : of("lark", secretsOfLark(lark))),
    ...(discord === undefined ? [] : of("discord", secretsOfDiscord(discord))),
  ];
}
