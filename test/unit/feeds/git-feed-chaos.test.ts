// Pushes, forced ones, deletions, lost, late and repeated webhooks, and outages in any order: in the end every branch is reviewed as it stands.
import { expect, test } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { createFeedProduct } from "../../fakes/feed-product.ts";
import { createRepository } from "../../fakes/git-repository.ts";

const outage = new AppError("unavailable", "The server cannot be reached.", { remedy: "Start it." });
const zeros = "0".repeat(40);
const steps = 45;

interface Webhook {
  readonly ref: string;
  readonly before: string;
  readonly head: string;
  readonly id: string;
}

test.each([2_000_006, 11_000_033, 13_000_039, 18_000_054])(
  "whatever happens, nothing is skipped and nothing is repeated (run %i)",
  async (seed) => {
    let state = seed;
    const below = (limit: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % limit;
    };
    const git = createRepository({ bare: true });
    const [base = ""] = git.commit({ files: { "src/a.ts": "export const a = 0;\n" } });
    const world = { isDown: false };
    const product = await createFeedProduct({
      repository: git.path,
      vcs: (real) => ({
        ...real,
        poll: async (...given) => (world.isDown ? Promise.reject(outage) : real.poll(...given)),
      }),
    });
    const tips = new Map<string, string>();
    const webhooks: Webhook[] = [];
    try {
      await product.poll();
      for (let n = 0; n < steps; n++) {
        const ref = `refs/heads/b${below(3)}`;
        const before = tips.get(ref) ?? zeros;
        switch (below(8)) {
          case 0:
          case 1: {
            const from = before === zeros ? { from: "refs/heads/main" } : {};
            move(ref, before, git.commit({ ref, ...from, files: { "src/a.ts": `export const a = ${n};\n` } })[0]);
            break;
          }
          case 2: {
            const files = { "src/a.ts": `export const a = ${n};\n` };
            move(ref, before, git.commit({ ref, from: "refs/heads/main", files })[0]);
            break;
          }
          case 3:
            if (before !== zeros) {
              git.git("update-ref", ref, base);
              move(ref, before, base);
            }
            break;
          case 4:
            if (before !== zeros) {
              git.git("update-ref", "-d", ref);
              move(ref, before, zeros);
            }
            break;
          case 5:
            world.isDown = below(2) === 0;
            await product.poll();
            break;
          default:
            await product.work();
        }
        // Some webhooks come at once, some late, some twice, some never.
        for (const webhook of webhooks) if (below(4) === 0) await deliver(webhook);
      }
      world.isDown = false;
      product.clock.advance(3_600_000);
      await product.poll();
      await product.work();
      await product.poll();
      await product.work();
      const reviews = await product.store.reviews({ limit: 1_000 });
      const done = reviews.filter(({ status }) => status === "skipped");
      expect(reviews.filter(({ status }) => status !== "skipped" && status !== "superseded")).toEqual([]);
      for (const [ref, tip] of tips) {
        const newest = done.find(({ change }) => change?.ref === ref);
        if (tip !== zeros) expect([ref, newest?.change?.head.canonical]).toEqual([ref, tip]);
      }
      for (const ref of tips.keys()) {
        // A webhook that came late may have led astray; what was reviewed last is never reviewed once more.
        const heads = done
          .filter(({ change, skipReason }) => change?.ref === ref && skipReason === "lgtm")
          .map(({ change }) => change?.head.canonical);
        expect(heads.filter((head, index) => index > 0 && head === heads[index - 1])).toEqual([]);
      }
    } finally {
      await product.remove();
      git.remove();
    }

    function move(ref: string, before: string, head = ""): void {
      if (before === head) return;
      tips.set(ref, head);
      webhooks.push({ ref, before, head, id: String(webhooks.length) });
    }

    async function deliver({ ref, before, head, id }: Webhook): Promise<void> {
      // A replay may come under an id of its own.
      const deliveryId = below(3) === 0 ? `${id}-${below(100)}` : id;
      await product.acceptPush({ repository: "game", ref, before, head, source: "github", deliveryId });
    }
  },
);
