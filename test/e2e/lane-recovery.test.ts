// A server that starts after a crash sends at once what the dead one was about to send, and leaves the lanes of the living alone.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { workerName } from "../../src/app/recover-leases.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { joinChat } from "../fakes/chat-client.ts";
import { temporaryDirectory } from "../fakes/git-repository.ts";
import { startProduct } from "../fakes/product-process.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

const folder = temporaryDirectory("aicr-lanes-");
afterAll(() => folder.remove());

/** Far longer than the test may take: nothing here ends by its time. */
const leaseMs = 600_000;

it("sends what a dead sender had leased", async () => {
  const config = "server:\n  port: 0\ndata_dir: ./data\nrepositories:\n  - alias: demo\n    demo: true\n";
  writeFileSync(join(folder.path, "aicr-bot.yaml"), config);
  const store = await createSqliteStore({ directory: join(folder.path, "data"), logger: silentLogger });
  const holders = { main: spawnSync(process.execPath, ["-e", ""]).pid, other: process.pid };
  for (const [conversation, pid] of Object.entries(holders)) {
    const params = { repository: "demo", place: "a.ts:1", title: "A title", by: `holder of ${conversation}` };
    await store.owe(
      [
        {
          id: `dl_${conversation}`,
          kind: "audit",
          target: { conversation: { channel: "web", workspace: "local", conversation } },
          locale: "en",
          facts: { notice: { key: "audit.reopened", params } },
        },
      ],
      Date.now(),
    );
    const worker = workerName(hostname(), pid);
    expect(await store.claimDelivery({ worker, token: conversation, leaseMs, now: Date.now() })).not.toBeNull();
  }
  await store.close();
  const server = await startProduct([], { cwd: folder.path });
  try {
    const chat = await joinChat(server.url);
    const shown = async () => (await chat.history()).some(({ text }) => text.includes("reopened by holder of main"));
    await expect.poll(shown, { timeout: 15_000 }).toBe(true);
    const other = await chat.get("/api/conversations/other/messages");
    expect(JSON.stringify(other.body)).not.toContain("holder of other");
    chat.close();
  } finally {
    await server.kill();
  }
}, 40_000);
