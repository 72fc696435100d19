// Progress is a courtesy: what can no longer be edited is no fault, everything else that fails is logged and changes nothing.
import { describe, expect, it } from "vitest";
import { createShowProgress } from "../../../src/app/show-progress.ts";
import type { MessageRef } from "../../../src/core/delivery.ts";
import type { ReviewId } from "../../../src/core/ids.ts";
import type { Review } from "../../../src/core/review.ts";
import { type Channel, ChannelError, type ChannelFault } from "../../../src/ports/channel.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { plainPage } from "../../fakes/scripted-inbox.ts";

const id = "rv_1" as ReviewId;
const progress: MessageRef = { channel: "slack", workspace: "T1", conversation: "C1", message: "1.1" };

async function noteOn(fault: ChannelFault): Promise<readonly string[]> {
  const logged: string[] = [];
  const keep = (event: string): void => void logged.push(event);
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => logger };
  const review = { id, status: "running", repository: "demo", spec: "HEAD", locale: "en", progress } as Review;
  const channel = {
    capabilities: { edit: true },
    edit: () => Promise.reject(new ChannelError(fault, "no")),
  } as unknown as Channel;
  const show = createShowProgress({
    store: { review: async () => review, setProgress: async () => undefined },
    channels: new Map([["slack", channel]]),
    compose: async () => plainPage("Checking"),
    logger,
  });
  await show.note(id, { kind: "fetching" });
  return logged;
}

describe("progress", () => {
  it("is not missed where a platform cannot edit what one person sees", async () => {
    expect(await noteOn("gone")).toEqual(["progress.gone"]);
  });

  it("is logged when it fails, and fails nothing", async () => {
    expect(await noteOn("uncertain")).toEqual(["progress.failed"]);
  });
});
