// CONTRACT E15: whatever people, agents and platforms write, on whichever way it gets into a card, nothing in it pings.
import { describe, expect, it } from "vitest";
import { createActionCards } from "../../../src/cards/action-cards.ts";
import { createCommandCards } from "../../../src/cards/command-cards.ts";
import { composeAudit } from "../../../src/cards/compose-audit.ts";
import { composeLeftOut } from "../../../src/cards/compose-left-out.ts";
import { composeNote } from "../../../src/cards/compose-note.ts";
import { composeReport } from "../../../src/cards/compose-report.ts";
import { noLinks } from "../../../src/cards/links.ts";
import type { StoredAction } from "../../../src/core/action.ts";
import type { StoredFinding } from "../../../src/core/finding.ts";
import type { Review } from "../../../src/core/review.ts";
import { createTexts } from "../../../src/templates/create-texts.ts";
import { change, problem } from "../../contract/store-samples.ts";

const loud = "<!channel> <@U123> <!subteam^S1> @everyone @here @all <at id=all></at> <at user_id='all'>x</at> <@&42>";
/** What a platform would take for a mention. */
const live = /<!(?:channel|here|everyone|subteam)|<@[!&]?\w|@(?:everyone|here|all|channel)\b|<at[\s>]/i;

const texts = createTexts();
const base = problem("f1");
const assessed = { ...base, problem: { ...base.problem, message: loud, category: loud, suggestion: loud } };
const review: Review = {
  id: "rv_1",
  repository: "demo",
  spec: loud,
  agent: "checks",
  paths: [],
  locale: "en",
  requester: { kind: "feed", feed: "push" },
  status: "reported",
  attempt: 1,
  change: change({ head: { ...change().head, author: loud, message: loud }, ref: `refs/heads/${loud}` }),
  failure: { code: "x", message: loud, remedy: loud },
  createdAt: 0,
};
const report = { outcome: "reported", problems: [assessed], summaries: [{ title: loud, markdown: loud }] } as const;
const finding: StoredFinding = {
  id: "fd_1",
  repository: "demo",
  fingerprint: "f1",
  keys: ["f1"],
  file: "a.ts",
  category: loud,
  severity: "high",
  title: loud,
  anchorDigest: "x",
  dismissed: { by: loud, reason: loud, at: 0 },
  refs: [],
  firstSeenAt: 0,
  lastSeenAt: 0,
};
const action: StoredAction = {
  token: "v1:t",
  kind: "dismiss",
  fingerprint: "f1",
  category: loud,
  conversation: { channel: "fake", workspace: "w", conversation: "c" },
  review: "rv_1",
  repository: "demo",
  locale: "en",
  message: "dl_1/1",
  page: JSON.stringify({ card: { title: "x", tone: "info", fallback: "x", blocks: [] } }),
  siblings: [],
  expiresAt: 0,
};
const links = () => noLinks;
const actions = createActionCards({ texts, links, command: "/review" });
const commands = createCommandCards({ texts, names: { review: "/review", verbs: "/review" } });
const person = { channel: "fake", workspace: "w", person: "U1", name: loud };
const state = { finding, seenBy: [person], mute: { until: 0, by: loud } };
const composed = composeReport({ texts, review, report, locale: "en", links: noLinks });

describe("nothing pings", () => {
  const cases: readonly [path: string, shown: unknown][] = [
    ["the root of a report", composed.root],
    ["a problem of an agent", composed.thread.map(({ card }) => card)],
    ["what a thread leaves out", composeLeftOut({ texts, review, problems: [assessed], locale: "en", links: noLinks })],
    ["an audit line", composeAudit({ texts, review, report: null, locale: "en", links: noLinks })],
    ["the echo of a command", commands.mistake({ ok: false, reason: "unknown_word", word: loud, nearest: loud }, "en")],
    ["what became of a problem", actions.page(state, action, {})],
    ["who dismissed it already", actions.alreadyDismissed(finding, "en")],
    [
      "a notice with a platform's words",
      composeNote({ texts, locale: "en" }, "notice.paused", { place: "c", error: loud }),
    ],
    [
      "a dismissal in the audit",
      composeNote({ texts, locale: "en" }, "audit.dismissed", {
        repository: "demo",
        place: loud,
        title: loud,
        by: loud,
        reason: loud,
      }),
    ],
  ];
  it.each(cases)("in %s", (_path, shown) => {
    // Code is shown as it is: no platform reads mentions in it, and channels escape it.
    const prose = JSON.stringify(shown, (_key, value: unknown) => (isCode(value) ? undefined : value));
    expect(prose).toContain("everyone");
    expect(prose).not.toMatch(live);
  });
});

function isCode(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "code";
}
