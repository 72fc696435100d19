// Secrets planted into every field of everything that is kept, sent, logged or thrown: none comes out on the other side.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Inbox } from "../../../src/ports/channel.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { maskChannel, maskStore } from "../../../src/telemetry/mask-gates.ts";
import { maskValues } from "../../../src/telemetry/mask-values.ts";
import { createRedactor } from "../../../src/telemetry/redact.ts";
import * as samples from "../../contract/store-samples.ts";
import { createFakeChannel } from "../../fakes/fake-channel.ts";
import { root, steps } from "../../fakes/sample-cards.ts";
import { createTempStore } from "../../fakes/temp-store.ts";
import { type Planted, planted, plantedSecrets } from "./planted-secrets.ts";

const redactor = createRedactor();
const KNOWN = "the operator's own pass phrase";
const knowing = createRedactor([KNOWN]);
const known: Planted = { text: `it is ${KNOWN}.`, secret: KNOWN };

/** Fields whose texts say something; all others name things. */
const prose = new Set(
  "title message suggestion markdown text name author authorEmail reason remedy detail category label fallback lines note skipReason summary".split(
    " ",
  ),
);

/** Every text of the value that is prose, or below a field that is, with the secret in it. */
function plant<T>(value: T, { text }: Planted, inside = false): T {
  if (typeof value === "string") return (inside ? `${value} ${text}` : value) as T;
  if (Array.isArray(value)) return value.map((item) => plant(item, { text, secret: "" }, inside)) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    plant(field, { text, secret: "" }, inside ? typeof field !== "string" || prose.has(name) : prose.has(name)),
  ]);
  return Object.fromEntries(entries) as T;
}

describe("redaction", () => {
  it.each(Object.entries(plantedSecrets))("E23: %s", (_kind, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, fc.constantFrom("", " ", "\n", '"', "`", "("), ({ text, secret }, around) => {
        expect(redactor.redact(`before${around === "" ? " " : around}${text}${around} after`)).not.toContain(secret);
      }),
    );
  });

  it("leaves nothing that secretlint would find", async () => {
    const [{ lintSource }, { creator }] = await Promise.all([
      import("@secretlint/core"),
      import("@secretlint/secretlint-rule-preset-recommend"),
    ]);
    const lint = async (content: string): Promise<readonly string[]> => {
      const { messages } = await lintSource({
        source: { filePath: "/a.txt", content, ext: "", contentType: "text" },
        options: {
          config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }] },
          noPhysicFilePath: true,
        },
      });
      return messages.map(({ ruleId }) => ruleId);
    };
    const found = new Set<string>();
    await fc.assert(
      fc.asyncProperty(planted, async ({ text }) => {
        for (const rule of await lint(`x ${text} y`)) found.add(rule);
        expect(await lint(redactor.redact(`x ${text} y`))).toEqual([]);
      }),
      { numRuns: 300 },
    );
    // The linter does look: it knows most of what was planted.
    expect(found.size).toBeGreaterThan(12);
  });
});

describe("masked values", () => {
  it("keep their shape, their identities and what is no text, and are the same where nothing was found", () => {
    const bytes = new Uint8Array([1, 2]);
    const when = new Date(0);
    const clean = { a: [1, null, true], bytes, when, text: "fine", file: "sk-a-branch-of-1234567890-letters" };
    expect(maskValues(clean, redactor)).toBe(clean);
    const masked = maskValues({ ...clean, more: { text: "DB_PASSWORD=hunter2hunter2" } }, redactor);
    expect(masked).toEqual({ ...clean, more: { text: "DB_PASSWORD=***" } });
    expect(masked.bytes).toBe(bytes);
    expect(masked.when).toBe(when);
  });

  it("look into pages that are kept as JSON, whose tokens stay", () => {
    const page = JSON.stringify({ text: 'say "password: hunter22"', token: "v1:abcdefghijklmnopqrstuvwxyz" });
    const masked = JSON.parse(maskValues({ page }, redactor).page);
    expect(masked).toEqual({ text: 'say "password: ***"', token: "v1:abcdefghijklmnopqrstuvwxyz" });
  });
});

describe("what is planted in every field", () => {
  it("never reaches the disk through the store", async () => {
    const kept = fc.sample(planted, 5);
    for (const one of [...kept, known]) {
      const temp = await createTempStore();
      const store = maskStore(temp.store, knowing);
      try {
        await store.acceptReview({ ...samples.request(), requester: plant(samples.asker, one) });
        const job = await samples.claimed(store);
        const change = plant(samples.change(), one);
        await store.startReview({ job: job.id, token: job.token, review: job.review.id, change, now: samples.start });
        const report = {
          outcome: "reported" as const,
          problems: [plant(samples.problem("f1"), one)],
          summaries: [plant({ title: "Summary", markdown: "All of it." }, one)],
        };
        const finished = await store.finishReview({
          ...samples.finishing(job),
          result: { status: "reported", report },
          findings: [plant(samples.finding("f1"), one)],
          deliveries: [plant(samples.delivery({ review: job.review.id }), one)],
        });
        expect(finished).toBe(true);
        const failed = await store.acceptReview(samples.request());
        expect(failed.outcome).toBe("accepted");
        const second = await samples.claimed(store);
        const failure = plant(
          { code: "internal", message: "It failed.", remedy: "Do this.", params: { detail: "" } },
          one,
        );
        await store.finishReview({
          ...samples.finishing(second),
          result: { status: "failed", failure },
          findings: [],
          deliveries: [],
        });
        const owed = await samples.claimedDelivery(store);
        await store.planMessages({
          delivery: owed.delivery.id,
          token: owed.token,
          messages: [
            {
              key: `${owed.delivery.id}/1`,
              role: "root",
              page: JSON.stringify({ card: plant(root, one), part: { n: 1, of: 1 } }),
            },
          ],
          now: samples.start,
        });
        await store.chat.append(
          {
            ...plant({ text: "hello" }, one),
            card: JSON.stringify(plant(steps[0], one)),
            id: "m1",
            conversation: "c",
            from: "bot",
            visibility: "everyone",
            createdAt: 1,
          },
          "k1",
        );
        // What was written is found again by what it is.
        expect(await store.report(job.review.id)).toMatchObject({ problems: [{ problem: { file: "src/a.ts" } }] });
        const text = readdirSync(temp.directory)
          .filter((name) => /\.(db|sqlite|sqlite3)?(-wal)?$/.test(name))
          .map((name) => readFileSync(join(temp.directory, name), "latin1"))
          .join("");
        expect(text.length).toBeGreaterThan(10_000);
        expect(text, one.text).toContain("***");
        expect(text, one.text).not.toContain(one.secret);
      } finally {
        await temp.remove();
      }
    }
  });

  it("is given back to a channel as it was: what that keeps for itself", async () => {
    const temp = await createTempStore();
    const store = maskStore(temp.store, knowing);
    await store.saveNote("slack", "session", `password=${KNOWN}1`);
    expect(await store.note("slack", "session")).toBe(`password=${KNOWN}1`);
    await temp.remove();
  });

  it("never reaches a platform: pages, files, forms and answers", async () => {
    const one = fc.sample(planted, 1)[0] ?? known;
    for (const secret of [one, known]) {
      const inner = createFakeChannel("web");
      const taken: unknown[] = [];
      const heard: Inbox[] = [];
      const spied = {
        ...inner,
        start: async (inbox: Inbox): Promise<void> => void heard.push(inbox),
        ask: async (_trigger: unknown, form: unknown): Promise<void> => void taken.push(form),
      };
      const channel = maskChannel(spied, knowing);
      const page = { card: plant(root, secret), mentions: [], part: { n: 1, of: 1 } };
      const target = { conversation: samples.place };
      const ref = await channel.send(target, page as never, "k");
      await channel.edit(ref, { ...page, card: plant(steps[0], secret) } as never);
      await channel.ask({} as never, { title: secret.text, token: "t", fields: [] });
      const answer = { page, visibility: "asker" as const };
      await channel.start({
        command: async () => answer,
        suggest: async () => [secret.text],
        home: async () => page,
      } as never);
      const [inbox] = heard;
      taken.push(await inbox?.command({} as never), await inbox?.suggest({} as never), await inbox?.home({} as never));
      const text = JSON.stringify([taken, inner.kept]);
      expect(text).toContain("***");
      expect(text).not.toContain(secret.secret);
    }
  });

  it("never reaches the log, by any field, error or cause", () => {
    fc.assert(
      fc.property(planted, fc.string({ maxLength: 8 }), ({ text, secret }, name) => {
        const lines: string[] = [];
        const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
        const error = new AppError("internal", `message ${text}`, {
          remedy: `remedy ${text}`,
          detail: `detail ${text}`,
          params: { value: text },
          cause: new Error(`cause ${text}`, { cause: { deep: [text] } }),
        });
        logger.child({ [`f${name}`]: text }).warn(`event ${text}`, {
          error,
          nested: { list: [text, { [text]: text }], map: new Map([["key", text]]), set: new Set([text]) },
        });
        // Line breaks are escaped in JSON.
        expect(lines.join("")).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
      { numRuns: 300 },
    );
  });
});
