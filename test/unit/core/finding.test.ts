// What a review means for the findings of its ref.
import { describe, expect, it } from "vitest";
import { type FindingsInput, settleFindings, titleOf } from "../../../src/core/finding.ts";
import { assessed, stored } from "../../fakes/problems.ts";

const settle = (overrides: Partial<FindingsInput>) =>
  settleFindings({
    ref: "refs/heads/main",
    revision: "r2",
    problems: [],
    known: [],
    open: [],
    isSettled: () => false,
    nextId: () => "fd_new",
    ...overrides,
  });

describe("settleFindings", () => {
  it("gives a problem nobody knew a new finding", () => {
    const { updates, problems } = settle({ problems: [assessed("f1")] });
    expect(updates).toEqual([
      expect.objectContaining({ id: "fd_new", fingerprint: "f1", status: "open", revision: "r2" }),
    ]);
    expect(problems[0]?.fingerprint).toBe("f1");
  });

  it("knows a problem again by any of its keys, and keeps the first fingerprint", () => {
    const { updates, problems } = settle({
      problems: [assessed("moved", "high", ["moved", "old"])],
      known: [stored("old")],
    });
    expect(updates).toEqual([expect.objectContaining({ id: "fd_old", fingerprint: "old", keys: ["moved", "old"] })]);
    expect(problems[0]?.fingerprint).toBe("old");
  });

  it("never gives two problems one finding", () => {
    const twins = [assessed("a", "low", ["a", "shared"]), assessed("b", "low", ["b", "shared"])];
    const { updates } = settle({ problems: twins, known: [stored("shared")] });
    expect(updates.map((update) => update.id)).toEqual(["fd_shared", "fd_new"]);
  });

  it("says what was dismissed and what came back", () => {
    const known = [
      stored("quiet", { dismissed: { by: "ann", reason: "by design", at: 1 } }),
      stored("back", { refs: [{ ref: "refs/heads/main", status: "resolved", lastRevision: "r1" }] }),
      stored("elsewhere", { refs: [{ ref: "refs/heads/other", status: "resolved", lastRevision: "r1" }] }),
    ];
    const outcome = settle({ problems: [assessed("quiet"), assessed("back"), assessed("elsewhere")], known });
    expect([...outcome.dismissed]).toEqual(["quiet"]);
    expect([...outcome.reopened]).toEqual(["back"]);
  });

  it("resolves only what is settled and was not reported again", () => {
    const open = [stored("again"), stored("fixed"), stored("untouched")];
    const outcome = settle({
      problems: [assessed("again")],
      known: [open[0] ?? stored("again")],
      open,
      isSettled: (finding) => finding.fingerprint !== "untouched",
    });
    expect(outcome.resolved.map((finding) => finding.fingerprint)).toEqual(["fixed"]);
    expect(outcome.updates.map(({ fingerprint, status }) => [fingerprint, status])).toEqual([
      ["again", "open"],
      ["fixed", "resolved"],
    ]);
  });
});

describe("titleOf", () => {
  it("is the first line, cut at 160 code points", () => {
    expect(titleOf("One.\nTwo.")).toBe("One.");
    expect([...titleOf("𝒳".repeat(200))]).toHaveLength(160);
  });
});
