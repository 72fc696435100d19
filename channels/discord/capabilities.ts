// What Discord can do, and the limits of one message of Components V2.
import type { ChannelCapabilities } from "../../src/ports/channel.ts";

/** Text of all text displays of a message, UTF-16 code units. */
export const MAX_TEXT = 4_000;
/** Components of a message, those within others counted too. */
export const MAX_COMPONENTS = 40;
/**
 * Components of a message as JSON, UTF-8 bytes: over about 10,170 Discord has been seen to answer 500 (discord-api-docs#8554), which
 * leaves room for what it adds itself.
 */
export const MAX_BYTES = 9_600;
export const MAX_BUTTONS_IN_ROW = 5;
export const MAX_BUTTON_LABEL = 80;
export const MAX_URL = 512;
export const MAX_THREAD_NAME = 100;
/** Largest file that every server takes, bytes. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
export const MAX_FORM_TITLE = 45;

export const discordCapabilities: ChannelCapabilities = {
  thread: "native",
  edit: true,
  ephemeral: true,
  // A private message says more, and reactions would need one more permission.
  reactions: false,
  files: true,
  forms: true,
  find: true,
  limits: {
    // A quarter is left for the escapes that Discord counts as text.
    pageText: 3_200,
    // Chinese and Vietnamese get here first: three bytes a sign, and the components around them.
    pageBytes: 7_600,
    blocks: 24,
    blockText: 2_800,
    codeText: 2_600,
    title: 200,
    fallback: 200,
    fields: 20,
    fieldText: 900,
    // Discord's Markdown has no tables.
    tables: 0,
    actions: 10,
    actionLabel: MAX_BUTTON_LABEL,
    pages: 4,
  },
  // 50 calls a second for one bot, edits and threads included.
  rate: { perSecond: 40, burst: 40 },
};
