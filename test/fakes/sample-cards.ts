// Cards as the composer makes them, for channel and page tests: a report of two problems with its thread, and the private ones.
import type { Block, Card, Inline } from "../../src/core/card.ts";

const web = "https://git.example.org/demo";

const say = (text: string): Inline => ({ kind: "text", text });
const code = (text: string): Inline => ({ kind: "code", text });
const strong = (text: string): Inline => ({ kind: "strong", children: [say(text)] });
const link = (url: string, text: string): Inline => ({ kind: "link", url, children: [say(text)] });
const paragraph = (...children: Inline[]): Block => ({ kind: "text", children });

const change: Block = {
  kind: "fields",
  fields: [
    { label: "Change", value: [link(`${web}/commit/4f2a91c07e`, "4f2a91c07e"), say(" Retry payments that time out")] },
    { label: "Branch", value: [say("main")] },
    { label: "Author", value: [say("Linh Trần")] },
    { label: "Files", value: [say("3 files")] },
    { label: "Verdict", value: [say("1 high, 1 medium")] },
  ],
};

export const steps: readonly Card[] = [
  { title: "Accepted: demo HEAD", tone: "neutral", fallback: "Accepted: demo HEAD", blocks: [] },
  { title: "Checking 3 files of demo HEAD", tone: "neutral", fallback: "Checking 3 files of demo HEAD", blocks: [] },
  { title: "Reviewed demo HEAD: 2 problems", tone: "neutral", fallback: "Reviewed demo HEAD: 2 problems", blocks: [] },
];

export const root: Card = {
  title: "2 problems in demo",
  tone: "danger",
  link: `${web}/commit/4f2a91c07e`,
  fallback: "demo 4f2a91c07e: 1 high, 1 medium. Retry payments that time out",
  blocks: [
    change,
    {
      kind: "list",
      ordered: false,
      items: [
        [
          paragraph(
            strong("High"),
            say(" "),
            link(`${web}/src/payments/retry.ts#L42`, "src/payments/retry.ts:42-44"),
            say(" — A payment that timed out may have gone through; retrying charges the customer twice."),
          ),
        ],
        [
          paragraph(
            strong("Medium"),
            say(" "),
            link(`${web}/src/payments/limits.ts#L9`, "src/payments/limits.ts:9"),
            say(" — "),
            code("maxAttempts"),
            say(" is compared before it is read, so the limit never applies."),
          ),
        ],
      ],
    },
    { kind: "actions", actions: [{ label: "Open change", url: `${web}/commit/4f2a91c07e`, style: "default" }] },
  ],
};

export const replies: readonly Card[] = [
  {
    title: "High · src/payments/retry.ts:42-44",
    tone: "danger",
    link: `${web}/src/payments/retry.ts#L42`,
    fallback: "High: src/payments/retry.ts:42-44 A payment that timed out may have gone through",
    blocks: [
      paragraph(code("idempotency")),
      paragraph(
        say("A payment that timed out may have gone through; retrying charges the customer twice. Send the same "),
        code("Idempotency-Key"),
        say(" with every attempt, so that the provider can tell a repetition from a new payment."),
      ),
      {
        kind: "code",
        language: "typescript",
        text: [
          "40  export async function pay(order: Order): Promise<Receipt> {",
          "41    for (let attempt = 1; attempt <= maxAttempts; attempt++) {",
          "42      const answer = await provider.charge(order.total, order.card);",
          "43      if (answer.ok) return answer.receipt;",
          '44      if (answer.reason !== "timeout") throw new PaymentError(answer.reason);',
          "45    }",
        ].join("\n"),
      },
      paragraph(strong("Suggested change")),
      {
        kind: "code",
        language: "diff",
        text: [
          "-    const answer = await provider.charge(order.total, order.card);",
          "+    const answer = await provider.charge(order.total, order.card, { idempotencyKey: order.id });",
        ].join("\n"),
      },
      {
        kind: "actions",
        actions: [
          { label: "Acknowledge", token: "v1:acknowledge0001", style: "primary" },
          { label: "Dismiss", token: "v1:dismiss0001", style: "danger" },
          { label: "Open", url: `${web}/src/payments/retry.ts#L42`, style: "default" },
        ],
      },
    ],
  },
  {
    title: "Medium · src/payments/limits.ts:9",
    tone: "warning",
    link: `${web}/src/payments/limits.ts#L9`,
    fallback: "Medium: src/payments/limits.ts:9 maxAttempts is compared before it is read",
    blocks: [
      paragraph(code("logic")),
      paragraph(
        code("maxAttempts"),
        say(" is compared before it is read from the configuration, so the limit never applies."),
      ),
      {
        kind: "code",
        language: "typescript",
        text: [
          " 8  const limits = load();",
          " 9  if (attempt > maxAttempts) stop();",
          "10  maxAttempts = limits.attempts;",
        ].join("\n"),
      },
    ],
  },
];

export const nothing: Card = {
  title: "Nothing to report in demo",
  tone: "good",
  fallback: "Nothing to report in demo. The review found no problems.",
  blocks: [paragraph(say("The review found no problems."))],
};

export const help: Card = {
  title: "Commands",
  tone: "neutral",
  fallback: "Commands",
  blocks: [
    {
      kind: "code",
      text: "/review <repo> [<rev>] [agent:<name>] [path:<glob>]\n/review repos\n/review status [<review>]\n/review help",
    },
    paragraph(say("Without a revision, the newest change of the default branch is reviewed.")),
  ],
};

/** What an attacker would want a page to run or follow. */
export const hostile: Card = {
  title: '<img src=x onerror="window.hacked = 1">',
  tone: "danger",
  link: "javascript:window.hacked=2",
  fallback: "<script>window.hacked = 3</script>",
  blocks: [
    paragraph(say('<script>window.hacked = 4</script><svg onload="window.hacked = 5">')),
    paragraph(link("javascript:window.hacked=6", "click me"), link("data:text/html,<script>1</script>", "or me")),
    paragraph(link(" java\tscript:window.hacked=7", "or even me")),
    {
      kind: "code",
      language: '"><script>window.hacked=8</script>',
      text: "</code></pre><script>window.hacked = 9</script>",
    },
    { kind: "image", url: "javascript:window.hacked=10", alt: "<b>picture</b>" },
    { kind: "image", url: "https://tracker.example.org/pixel.png", alt: "pixel" },
    { kind: "actions", actions: [{ label: "<i>go</i>", url: "javascript:window.hacked=11", style: "danger" }] },
  ],
};
