// What Lark and Feishu can do, and their limits: cards of 28 KB and 200 elements, with room for what escaping adds.
import type { ChannelCapabilities } from "../../src/ports/channel.ts";

export const larkCapabilities: ChannelCapabilities = {
  thread: "native",
  edit: true,
  ephemeral: true,
  reactions: true,
  files: true,
  forms: true,
  find: true,
  limits: {
    pageText: 8_000,
    pageBytes: 18_000,
    blocks: 40,
    blockText: 4_000,
    codeText: 6_000,
    title: 200,
    fallback: 200,
    fields: 12,
    fieldText: 600,
    tables: 3,
    tableRows: 30,
    tableColumns: 8,
    actions: 6,
    actionLabel: 40,
    pages: 6,
  },
  // 50 calls a second and 1000 a minute, of each kind of call: within any minute at most 40 + 16 × 60.
  rate: { perSecond: 16, burst: 40 },
};

/** A custom bot posts to one group: it hears nothing, and what it has posted can neither be found nor changed. */
export const larkWebhookCapabilities: ChannelCapabilities = {
  thread: "none",
  edit: false,
  ephemeral: false,
  reactions: false,
  files: false,
  forms: false,
  find: false,
  limits: {
    ...larkCapabilities.limits,
    pageText: 6_000,
    pageBytes: 11_000,
    codeText: 4_500,
  },
  // The pace is that of each bot by itself.
};
