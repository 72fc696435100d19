// The pace of conversations: spacing, silence that Slack asks for, edits that overtake each other.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLanes } from "../../../../channels/slack/lane.ts";
import { ChannelError } from "../../../../src/ports/channel.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";

function started() {
  const clock = createFakeClock(0);
  const lanes = createLanes({ clock });
  const ran: string[] = [];
  const call = (name: string) => async () => {
    ran.push(`${name}@${clock.monotonic()}`);
    return name;
  };
  return { clock, lanes, ran, call };
}

const limited = (ms: number) => async (): Promise<never> => {
  throw new ChannelError("rate_limited", "wait", { retryAfterMs: ms });
};

describe("lanes", () => {
  it("lets one call a second through in each conversation, in order", async () => {
    const { clock, lanes, ran, call } = started();
    const calls = [
      lanes.run("a", call("1")),
      lanes.run("a", call("2")),
      lanes.run("b", call("3")),
      lanes.run("a", call("4")),
    ];
    await clock.advanceAsync(5_000);
    expect(await Promise.all(calls)).toEqual(["1", "2", "3", "4"]);
    expect(ran).toEqual(["1@0", "3@0", "2@1000", "4@2000"]);
    expect(clock.pending()).toBe(0);
  });

  it("waits for a slow call before the next", async () => {
    const { clock, lanes, ran, call } = started();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow = lanes.run("a", () => ended);
    const next = lanes.run("a", call("next"));
    await clock.advanceAsync(5_000);
    expect(ran).toEqual([]);
    end();
    await slow;
    await clock.advanceAsync(0);
    expect(await next).toBe("next");
    expect(ran).toEqual(["next@5000"]);
  });

  it("goes on after a call that failed", async () => {
    const { clock, lanes, call } = started();
    const failing = lanes.run("a", async () => {
      throw new ChannelError("gone", "gone");
    });
    const next = lanes.run("a", call("next"));
    await expect(failing).rejects.toMatchObject({ fault: "gone" });
    await clock.advanceAsync(1_000);
    expect(await next).toBe("next");
  });

  it("sends one edit in place of those that a newer one overtook, and tells all of them how it went", async () => {
    const { clock, lanes, ran, call } = started();
    const calls = [
      lanes.run("a", call("post")),
      lanes.run("a", call("edit 1"), "m1"),
      lanes.run("a", call("other"), "m2"),
      lanes.run("a", call("edit 2"), "m1"),
    ];
    await clock.advanceAsync(5_000);
    expect(ran).toEqual(["post@0", "edit 2@1000", "other@2000"]);
    expect(await Promise.all(calls)).toEqual(["post", "edit 2", "other", "edit 2"]);
  });

  it("is silent for as long as Slack asks, in that conversation alone, and hands back what waited", async () => {
    const { clock, lanes, ran, call } = started();
    const first = lanes.run("a", limited(30_000));
    const waiting = lanes.run("a", call("edit"), "m1");
    await expect(first).rejects.toMatchObject({ fault: "rate_limited" });
    await expect(waiting).rejects.toMatchObject({ fault: "rate_limited", retryAfterMs: 30_000 });
    await clock.advanceAsync(10_000);
    await expect(lanes.run("a", call("early"))).rejects.toMatchObject({ retryAfterMs: 20_000 });
    expect(await lanes.run("b", call("elsewhere"))).toBe("elsewhere");
    await clock.advanceAsync(20_000);
    expect(await lanes.run("a", call("late"))).toBe("late");
    expect(ran).toEqual(["elsewhere@10000", "late@30000"]);
  });

  it("hands back what would wait longer than ten seconds", async () => {
    const { clock, lanes, call } = started();
    const calls = Array.from({ length: 14 }, (_, index) =>
      lanes.run("a", call(String(index))).catch((error) => error.fault),
    );
    await clock.advanceAsync(20_000);
    const outcomes = await Promise.all(calls);
    expect(outcomes.slice(0, 11)).toEqual(Array.from({ length: 11 }, (_, index) => String(index)));
    expect(outcomes.slice(11)).toEqual(["rate_limited", "rate_limited", "rate_limited"]);
  });

  it("settles every call, keeps the spacing, and leaves no timer, whatever comes when", async () => {
    const step = fc.record({
      after: fc.nat(1_500),
      lane: fc.constantFrom("a", "b"),
      outcome: fc.constantFrom("ok", "gone", "limited"),
      replaces: fc.constantFrom(undefined, "m1", "m2"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const clock = createFakeClock(0);
        const lanes = createLanes({ clock });
        const starts = new Map<string, number[]>();
        let settled = 0;
        for (const { after, lane, outcome, replaces } of steps) {
          await clock.advanceAsync(after);
          const call = async (): Promise<void> => {
            starts.set(lane, [...(starts.get(lane) ?? []), clock.monotonic()]);
            if (outcome === "gone") throw new ChannelError("gone", "gone");
            if (outcome === "limited") throw new ChannelError("rate_limited", "wait", { retryAfterMs: 3_000 });
          };
          const count = (): void => {
            settled += 1;
          };
          lanes.run(lane, call, replaces).then(count, count);
        }
        await clock.advanceAsync(60_000);
        expect(settled).toBe(steps.length);
        expect(clock.pending()).toBe(0);
        for (const times of starts.values()) {
          for (const [index, at] of times.entries()) {
            if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
