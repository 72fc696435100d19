// Whether any push is acknowledged before it is on the disk, as the system calls of the whole process tell it.
import { spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { bundleServer, secret, start } from "./webhook-peers.ts";

const bursts = 20;
const together = 16;
/** More than a page of the store's log, so that every id in one is seen. */
const shownBytes = 5_000;
const calls = "pwrite64,fsync,fdatasync,write,writev,sendto,sendmsg";

export const bench: Bench = async () => {
  const row = { name: "2xx before their fsync", comparison: "at most", limit: 0 } as const;
  if (spawnSync("strace", ["-V"]).status !== 0) {
    return [{ ...row, value: Number.NaN, note: "not measured: this needs strace (apt install strace)" }];
  }
  const folder = await mkdtemp(join(tmpdir(), "aicr-bench-"));
  const log = join(folder, "calls");
  try {
    const options = ["-f", "-y", "-s", String(shownBytes), "-e", `trace=${calls}`, "-o", log];
    const server = await start(await bundleServer(), folder, ["strace", ...options]);
    let accepted = 0;
    try {
      for (let burst = 0; burst < bursts; burst++) {
        const url = `http://127.0.0.1:${server.port}${server.path}`;
        const answers = await Promise.all(Array.from({ length: together }, (_, n) => push(url, `${burst}-${n}`)));
        accepted += answers.filter((status) => status === 202).length;
      }
    } finally {
      await server.end();
    }
    const { answers, early, syncs } = judge(await readFile(log, "latin1"));
    if (accepted !== bursts * together || answers !== accepted) {
      throw new Error(`${bursts * together} pushes were sent, ${accepted} accepted, ${answers} answers seen.`);
    }
    return [{ ...row, value: early, note: `${answers} pushes acknowledged after ${syncs} syncs of the store's log` }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Every push is to a branch of its own, so that every answer names a review that its own commit made. */
async function push(url: string, branch: string): Promise<number> {
  const id = () => randomBytes(20).toString("hex");
  const repository = { full_name: "team/game" };
  const body = JSON.stringify({ ref: `refs/heads/${branch}`, before: id(), after: id(), repository });
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const headers = { "content-type": "application/json", "x-github-event": "push", "x-hub-signature-256": signature };
  const answer = await fetch(url, { method: "POST", body, headers });
  await answer.arrayBuffer();
  return answer.status;
}

/**
 * A review is safe when a sync of the log has ended well that began after the log was given its id. Calls stand in the
 * trace where they began; what another thread interrupts is told again, "resumed", where it ended.
 */
function judge(trace: string): { readonly answers: number; readonly early: number; readonly syncs: number } {
  const written = new Set<string>();
  const safe = new Set<string>();
  /** What each thread's running sync covers. */
  const syncing = new Map<string, readonly string[]>();
  let [answers, early, syncs] = [0, 0, 0];
  for (const line of trace.split("\n")) {
    const thread = /^\d+/.exec(line)?.[0] ?? "";
    const ids = line.match(/rv_[0-9a-z]{26}/g) ?? [];
    if (/ pwrite64\(\d+<[^>]*-wal>/.test(line)) {
      for (const id of ids) written.add(id);
    } else if (/ HTTP\/1\.1 2|"HTTP\/1\.1 2/.test(line)) {
      answers += 1;
      if (ids.length === 0 || ids.some((id) => !safe.has(id))) early += 1;
    }
    if (/ f(?:data)?sync\(\d+<[^>]*-wal>/.test(line)) syncing.set(thread, [...written]);
    if (/f(?:data)?sync.*\) += 0$/.test(line)) {
      const covered = syncing.get(thread);
      syncing.delete(thread);
      if (covered === undefined) continue;
      syncs += 1;
      for (const id of covered) safe.add(id);
    }
  }
  return { answers, early, syncs };
}
