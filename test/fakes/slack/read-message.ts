// Reads a message as Slack shows it, by a small reader of its own: texts, links, mentions, and what is broken in the markup.
import { isRecord } from "./block-check.ts";

export interface ReadMessage {
  /** What people read, blocks divided by empty lines. */
  readonly text: string;
  readonly links: readonly { readonly url: string; readonly label: string }[];
  /** Live mentions: people, groups, conversations, broadcasts. */
  readonly mentions: readonly string[];
  /** Signs of the markup that are no part of it, and what would not be shown as it was meant. */
  readonly broken: readonly string[];
}

interface Reading {
  readonly links: { url: string; label: string }[];
  readonly mentions: string[];
  readonly broken: string[];
}

/** Blocks where there are any; the top-level text is for notifications then. */
export function readMessage(message: { readonly text: string; readonly blocks: readonly unknown[] }): ReadMessage {
  const reading: Reading = { links: [], mentions: [], broken: [] };
  const summary = mrkdwn(message.text, reading);
  if (message.blocks.length === 0) return { text: summary, ...reading };
  const parts = message.blocks.map((block) => blockText(block, reading)).filter((part) => part !== "");
  return { text: parts.join("\n\n"), ...reading };
}

/** `<…>` is a link or a mention, `&…;` one of three signs; anything else of `<`, `>` and `&` is broken. */
export function mrkdwn(text: string, reading: Reading): string {
  let shown = "";
  let rest = text;
  while (rest !== "") {
    const at = rest.search(/[<>&]/);
    if (at === -1) return shown + rest;
    shown += rest.slice(0, at);
    rest = rest.slice(at);
    const entity = /^&(amp|lt|gt);/.exec(rest);
    const angle = /^<([^<>]*)>/.exec(rest);
    if (entity !== null) {
      shown += { amp: "&", lt: "<", gt: ">" }[entity[1] as "amp"];
      rest = rest.slice(entity[0].length);
    } else if (angle !== null) {
      shown += control(angle[1] ?? "", reading);
      rest = rest.slice(angle[0].length);
    } else {
      // A `>` at a line's beginning is a quote of our own.
      if (!(rest.startsWith("> ") && (shown === "" || shown.endsWith("\n")))) reading.broken.push(rest.slice(0, 20));
      shown += rest.slice(0, 1);
      rest = rest.slice(1);
    }
  }
  return shown;
}

function control(inner: string, reading: Reading): string {
  if (/^[@#!]/.test(inner)) {
    reading.mentions.push(inner);
    return inner;
  }
  const bar = inner.indexOf("|");
  const url = decoded(bar === -1 ? inner : inner.slice(0, bar));
  const label = decoded(bar === -1 ? url : inner.slice(bar + 1));
  if (!/^(?:https?:|mailto:)/.test(url)) reading.broken.push(`<${inner}>`);
  reading.links.push({ url, label });
  return label;
}

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: "amp" | "lt" | "gt") => ({ amp: "&", lt: "<", gt: ">" })[name]);
}

function blockText(value: unknown, reading: Reading): string {
  if (!isRecord(value)) return "";
  const { type } = value;
  switch (type) {
    case "rich_text":
      return lines(value["elements"], reading);
    case "rich_text_section":
    case "rich_text_preformatted":
      return joined(value["elements"], "", reading);
    case "rich_text_quote":
      return joined(value["elements"], "", reading).replace(/^/gm, "> ");
    case "rich_text_list": {
      const first = typeof value["offset"] === "number" ? value["offset"] + 1 : 1;
      const indent = "  ".repeat(typeof value["indent"] === "number" ? value["indent"] : 0);
      const items = Array.isArray(value["elements"]) ? value["elements"] : [];
      const mark = (index: number): string => (value["style"] === "ordered" ? `${first + index}.` : "\u2022");
      return items.map((item, index) => `${indent}${mark(index)} ${blockText(item, reading)}`).join("\n");
    }
    case "table": {
      const rows = Array.isArray(value["rows"]) ? (value["rows"] as unknown[]) : [];
      return rows.map((row) => joined(row, " | ", reading)).join("\n");
    }
    case "actions":
      return joined(value["elements"], " ", reading);
    case "button":
      return `[${textOf(value["text"], reading)}]`;
    case "section":
      return [textOf(value["text"], reading), joined(value["fields"], "\n", reading)]
        .filter((one) => one !== "")
        .join("\n");
    case "image":
      return String(value["alt_text"]);
    case "divider":
      return "---";
    case "context":
      return joined(value["elements"], " ", reading);
    case "header":
      return textOf(value["text"], reading);
    default:
      return inlineText(value, reading);
  }
}

function inlineText(value: Record<string, unknown>, reading: Reading): string {
  switch (value["type"]) {
    case "text":
    case "plain_text":
    case "raw_text":
    case "mrkdwn":
      return textOf(value, reading);
    case "emoji":
      return `:${String(value["name"])}:`;
    case "link": {
      const url = String(value["url"]);
      const label = typeof value["text"] === "string" ? value["text"] : url;
      reading.links.push({ url, label });
      return label;
    }
    default: {
      const id = value["user_id"] ?? value["usergroup_id"] ?? value["channel_id"] ?? value["range"];
      reading.mentions.push(`${String(value["type"])} ${String(id)}`);
      return `@${String(id)}`;
    }
  }
}

function textOf(value: unknown, reading: Reading): string {
  if (!isRecord(value)) return "";
  const text = String(value["text"]);
  if (value["type"] !== "mrkdwn") return text;
  if (value["verbatim"] !== true) reading.broken.push("mrkdwn that Slack may read names and addresses into");
  return mrkdwn(text, reading);
}

function joined(items: unknown, separator: string, reading: Reading): string {
  return Array.isArray(items) ? items.map((item) => blockText(item, reading)).join(separator) : "";
}

function lines(items: unknown, reading: Reading): string {
  return joined(items, "\n", reading);
}
