// The settings of the web chat.
import * as z from "zod";

export const webChannelConfig = z.strictObject({
  /** Whether the chat and its API are served. */
  enabled: z.boolean().default(true),
  /** Longest text a person may send, UTF-16 code units. */
  max_text: z.int().min(100).max(16_000).default(4_000),
  /** Root messages that a client gets when it names no limit; it may ask for up to 200. */
  history: z.int().min(1).max(200).default(50),
  /** Event streams open at once, all conversations together; each open page of the chat holds one. */
  max_streams: z.int().min(1).max(10_000).default(200),
});

export type WebChannelConfig = z.infer<typeof webChannelConfig>;
