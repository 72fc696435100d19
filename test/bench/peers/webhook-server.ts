// The product's own way of a webhook, alone in a process: HTTP server, proof, acceptance, and the store's writer thread.
import { createAcceptPush } from "../../../src/app/accept-push.ts";
import type { SubscriptionId } from "../../../src/core/ids.ts";
import { createWebhooks } from "../../../src/feeds/webhooks.ts";
import { createHttpServer } from "../../../src/http/server.ts";
import { createIds } from "../../../src/process/random-ids.ts";
import { createSystemClock } from "../../../src/process/system-clock.ts";
import { createSqliteStore } from "../../../src/store/sqlite/store.ts";
import { silentLogger as logger } from "../../fakes/silent-logger.ts";

const { BENCH_SECRET: secret = "", BENCH_FOLDER: directory = "", BENCH_WRITER: writer = "" } = process.env;
const clock = createSystemClock();
const store = await createSqliteStore({ directory, writerEntry: new URL(writer), logger });
const repository = { alias: "game", vcs: "git", agent: "checks", isPolled: false } as const;
await store.registerRepositories([repository], clock.now());
const none = { branches: [], notBranches: [], paths: [], notPaths: [], authors: [], notAuthors: [] };
const acceptPush = createAcceptPush({
  store,
  subscriptions: {
    of: async () => [
      {
        id: "sb_bench" as SubscriptionId,
        conversation: { channel: "web", workspace: "local", conversation: "team" },
        repository: "game",
        filters: none,
        locale: "en",
        mode: "report",
        severity: "info",
        origin: "configuration",
      },
    ],
    noProblems: () => "suppress",
  },
  repositories: new Map([["game", repository]]),
  locale: "en",
  clock,
  ids: createIds(clock),
  wake: () => undefined,
});
const game = { alias: "game", names: ["team/game"], url: "https://git.example.com/team/game.git" };
const sources = [{ provider: "github", secret, repositories: [game] }] as const;
const server = createHttpServer({
  host: "127.0.0.1",
  port: 0,
  channels: [createWebhooks({ sources, acceptPush, clock, logger })],
  readiness: async () => ({ ok: true, detail: {} }),
  asset: async () => null,
  logger,
});
const { port } = await server.listen();
process.send?.({ port, path: "/webhooks/github" });
// Whoever started it has gone, or has seen enough.
process.once("disconnect", () => process.exit());
