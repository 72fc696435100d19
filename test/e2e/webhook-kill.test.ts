// E5: what was acknowledged survives the process, killed the moment after it said so.
import { fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { ReviewId } from "../../src/core/ids.ts";
import { createSqliteStore } from "../../src/store/sqlite/store.ts";
import { silentLogger } from "../fakes/silent-logger.ts";

it("E5: after kill -9 behind the 202 the review is still queued, and its job can be claimed", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "aicr-kill-"));
  const child = fork(fileURLToPath(new URL("../bench/peers/webhook-server.ts", import.meta.url)), {
    execArgv: ["--import", "tsx"],
    env: {
      ...process.env,
      BENCH_SECRET: "secret",
      BENCH_FOLDER: directory,
      BENCH_WRITER: new URL("../../dist/store-writer.mjs", import.meta.url).href,
    },
    silent: true,
  });
  try {
    const [started] = (await once(child, "message")) as [{ port: number; path: string }];
    const body = JSON.stringify({
      ref: "refs/heads/main",
      before: "a".repeat(40),
      after: "b".repeat(40),
      repository: { full_name: "team/game" },
    });
    const answer = await fetch(`http://127.0.0.1:${started.port}${started.path}`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-hub-signature-256": `sha256=${createHmac("sha256", "secret").update(body).digest("hex")}`,
      },
    });
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    expect(answer.status).toBe(202);
    const { reviewId } = (await answer.json()) as { reviewId: ReviewId };
    await ended;
    const store = await createSqliteStore({ directory, logger: silentLogger });
    const [review, job] = [
      await store.review(reviewId),
      await store.claimJob({ worker: "w", token: "t", leaseMs: 1_000, maxAttempts: 5, now: Date.now() + 60_000 }),
    ];
    await store.close();
    expect(review).toMatchObject({ status: "queued", repository: "game" });
    expect(job).toMatchObject({ review: { id: reviewId } });
  } finally {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
});
