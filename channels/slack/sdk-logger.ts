// Takes what Slack's SDK logs into our log: warnings and errors alone, shortened, and without anything that looks like a token.
import { LogLevel, type Logger as SlackLogger } from "@slack/web-api";
import type { Logger } from "../../src/ports/logger.ts";

const MAX_TEXT = 300;

export function createSdkLogger(logger: Logger): SlackLogger {
  const write = (level: "warn" | "error", words: readonly unknown[]): void =>
    logger[level]("slack.sdk", { text: withoutTokens(words.map(wordOf).join(" ")).slice(0, MAX_TEXT) });
  return {
    // Whole messages of people would stand here.
    debug() {},
    info() {},
    warn: (...words) => write("warn", words),
    error: (...words) => write("error", words),
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}

/** Slack's tokens by their prefixes, addresses of sockets and of answers by their paths. */
export function withoutTokens(text: string): string {
  return text
    .replace(/\bx(?:ox[a-z]|app|oxe\.xox[a-z])-[\w-]+/giu, "[token]")
    .replace(/\b((?:wss?|https?):\/\/[^\s/?#"'<>]+)[^\s"'<>]*/giu, "$1/…");
}

function wordOf(word: unknown): string {
  return word instanceof Error ? `${word.name}: ${word.message}` : typeof word === "string" ? word : "";
}
