// What the web chat can do, and its limits: generous, because the page is ours.
import type { ChannelCapabilities } from "../../src/ports/channel.ts";

/** Largest page, bytes of its JSON: what a browser lays out without a stutter. */
export const maxPageBytes = 256 * 1024;

export const webCapabilities: ChannelCapabilities = {
  thread: "native",
  edit: true,
  ephemeral: true,
  reactions: false,
  // A page holds all there is to say, so nothing needs to go along as a file.
  files: false,
  // The answer to a pressed button carries the form, so that only who pressed sees it.
  forms: true,
  find: true,
  limits: {
    pageText: 60_000,
    pageBytes: maxPageBytes,
    blocks: 400,
    blockText: 20_000,
    codeText: 20_000,
    title: 300,
    fallback: 300,
    fields: 40,
    fieldText: 2_000,
    tables: 20,
    tableRows: 500,
    actions: 10,
    actionLabel: 80,
    pages: 50,
  },
};
