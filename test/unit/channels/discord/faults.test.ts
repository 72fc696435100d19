// Every code that we know of Discord's, and what it means for the sender when nothing else was done about it.
import { describe, expect, it } from "vitest";
import { channelError, codes } from "../../../../channels/discord/faults.ts";
import type { Refusal } from "../../../../channels/discord/rest.ts";
import type { ChannelFault } from "../../../../src/ports/channel.ts";

const refusal = (changes: Partial<Refusal> = {}): Refusal => ({
  kind: "answered",
  status: 400,
  code: 0,
  message: "Told so",
  ...changes,
});
const sending = { doing: "send a message", needs: ["View Channel", "Send Messages"] };

/** `rejected` stands for what is dealt with before it comes here, or will never work. */
const meanings: Readonly<Record<keyof typeof codes, ChannelFault>> = {
  unknownChannel: "forbidden",
  unknownGuild: "forbidden",
  unknownMessage: "gone",
  unknownUser: "forbidden",
  unknownWebhook: "rejected",
  unknownInteraction: "rejected",
  slowMode: "rate_limited",
  antiSpam: "auth",
  channelWriteLimit: "rate_limited",
  guildWriteLimit: "rate_limited",
  tooManyCommands: "rejected",
  threadFull: "rejected",
  commandCreations: "rejected",
  tooManyOldEdits: "gone",
  unauthorized: "auth",
  tooLargeRequest: "too_large",
  alreadyAnswered: "rejected",
  serviceLimited: "rate_limited",
  tagRequired: "forbidden",
  badUserAgent: "auth",
  missingAccess: "forbidden",
  emptyMessage: "rejected",
  directMessagesClosed: "forbidden",
  notATextChannel: "forbidden",
  missingPermissions: "forbidden",
  wrongChannelType: "rejected",
  invalidToken: "rejected",
  invalidBody: "rejected",
  archivedThread: "rejected",
  noMutualServer: "forbidden",
  overloaded: "rate_limited",
  threadExists: "rejected",
  lockedThread: "rejected",
  tooManyThreads: "rejected",
  autoMod: "rejected",
  autoModTitle: "rejected",
  threadNameRequired: "rejected",
  harmfulLinks: "rejected",
  noFiles: "rejected",
};

describe("codes", () => {
  it.each(Object.entries(meanings) as [keyof typeof codes, ChannelFault][])("%s is %s", (name, fault) => {
    const error = channelError(refusal({ code: codes[name] }), sending);
    expect(error.fault).toBe(fault);
    expect(error.message).toContain(`(${codes[name]})`);
    expect(error.message).not.toContain("\n");
    expect(error.retryAfterMs).toBe(fault === "rate_limited" ? 60_000 : undefined);
  });
});

describe("without a code", () => {
  it.each([
    [{ kind: "unsent", status: 0 }, "not_sent"],
    [{ kind: "lost", status: 0 }, "uncertain"],
    [{ kind: "limited", status: 429 }, "rate_limited"],
    [{ status: 500 }, "uncertain"],
    [{ status: 504 }, "uncertain"],
    [{ status: 401 }, "auth"],
    [{ status: 403 }, "rate_limited"],
    [{ status: 413 }, "too_large"],
    [{ status: 404 }, "rejected"],
  ] as const)("%j is %s", (given, fault) => {
    expect(channelError(refusal(given), sending).fault).toBe(fault);
  });

  it("what only prepares was not sent, whatever became of it", () => {
    const preparing = { ...sending, isPreparation: true };
    expect(channelError(refusal({ kind: "lost", status: 0 }), preparing).fault).toBe("not_sent");
    expect(channelError(refusal({ status: 502 }), preparing).fault).toBe("not_sent");
    expect(channelError(refusal({ code: codes.unknownChannel }), preparing).fault).toBe("forbidden");
  });
});

it("says in one sentence what was refused, which rights it takes, and what to do", () => {
  const error = channelError(refusal({ code: codes.missingPermissions, message: "Missing\nPermissions." }), sending);
  expect(error.message).toBe(
    "Discord refused to send a message: Missing Permissions (50013). It needs View Channel, Send Messages.",
  );
  expect(channelError(refusal({ code: codes.badUserAgent }), sending).message).toMatch(/User-Agent header\.$/);
});
