// What Slack can do, and the limits that a card is fitted to: below Slack's own, with room for title marks, mentions and escapes.
import type { ChannelCapabilities } from "../../src/ports/channel.ts";

export const slackCapabilities: ChannelCapabilities = {
  thread: "native",
  edit: true,
  ephemeral: true,
  reactions: true,
  files: true,
  forms: true,
  find: true,
  limits: {
    // Slack refuses a message by the sum of its block text: 9,597 characters went through, 11,341 did not. 9,000 is the budget.
    pageText: 8_500,
    // Of 50. The title, a line of mentions, and the sections that a classic form may need on top are not counted here.
    blocks: 38,
    // A classic section holds 3,000.
    blockText: 2_800,
    codeText: 2_800,
    // A header holds 150, with the sign of the tone and the page's number.
    title: 130,
    fallback: 300,
    fields: 10,
    fieldText: 1_900,
    tables: 1,
    // Of 100, the header among them.
    tableRows: 99,
    tableColumns: 20,
    actions: 10,
    actionLabel: 75,
    pages: 5,
  },
};
