// The output server against an echo server on the same SDK: start, calls, growth, many HTTP clients, memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { build } from "esbuild";
import { openSession, outputServer } from "../e2e/stdio-session.ts";
import { type Bench, type BenchRow, interleave, median } from "./bench.ts";

const calls = 500;

export const bench: Bench = async () => {
  // Node reads extra certificates at start, which would burden both sides alike and hide the difference.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const folder = mkdtempSync(join(tmpdir(), "aicr-bench-"));
  try {
    const echo = await bundleEcho(folder);
    return [...(await startUp(folder, echo)), ...(await callCosts(folder, echo)), ...(await manyClients(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

async function bundleEcho(folder: string): Promise<string> {
  const outfile = join(folder, "echo.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("peers/echo-server.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minifySyntax: true,
    logLevel: "warning",
    banner: { js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);' },
  });
  return outfile;
}

async function startUp(folder: string, echo: string): Promise<BenchRow[]> {
  const start = (script: string) => async () => {
    const session = await openSession({ AICR_OUTPUT_STATE_PATH: join(folder, "unused.json") }, [
      process.execPath,
      script,
    ]);
    // The next round must not compete with this one's exit.
    await session.kill();
  };
  const medians = await interleave({ ours: start(outputServer), echo: start(echo) }, 25);
  const { ours = 0, echo: floor = 1 } = medians;
  return [
    {
      name: "spawn to initialize",
      value: ours / floor,
      comparison: "at most",
      limit: 1.3,
      note: `${ours.toFixed(1)} ms, bundled echo server ${floor.toFixed(1)} ms`,
    },
  ];
}

async function callCosts(folder: string, echo: string): Promise<BenchRow[]> {
  const statePath = join(folder, "agent", "state.json");
  mkdirSync(join(folder, "agent"));
  const ours = await openSession({ AICR_OUTPUT_STATE_PATH: statePath });
  const peer = await openSession({}, [process.execPath, echo]);
  const own: number[] = [];
  const floor: number[] = [];
  for (let index = 1; index <= calls; index++) {
    const input = problem(index);
    own.push(await timed(() => ours.call(index, "aicr.report_problem", input)));
    const document = readFileSync(statePath);
    floor.push(
      await timed(async () => {
        await peer.call(index, "echo", input);
        writeFileSync(join(folder, "agent", "copy.tmp"), document);
        renameSync(join(folder, "agent", "copy.tmp"), join(folder, "agent", "copy.json"));
      }),
    );
  }
  const rss = residentMb(ours.child.pid ?? 0);
  await Promise.all([ours.kill(), peer.kill()]);
  const [first, last] = [median(own.slice(0, 50)), median(own.slice(-50))];
  return [
    {
      name: "one call",
      value: median(own) / median(floor),
      comparison: "at most",
      limit: 1.5,
      note: `${median(own).toFixed(3)} ms, echo call and one write-and-rename of the document ${median(floor).toFixed(3)} ms`,
    },
    {
      name: `call ${calls} against call 1`,
      value: last / first,
      comparison: "at most",
      limit: 10,
      note: `p50 of the last 50 ${last.toFixed(3)} ms, of the first 50 ${first.toFixed(3)} ms`,
    },
    {
      name: "RSS of the stdio server, MB",
      value: rss,
      comparison: "at most",
      limit: 80,
      note: `after ${calls} calls`,
    },
  ];
}

async function manyClients(folder: string): Promise<BenchRow[]> {
  const [clients, callsEach] = [64, 200];
  const child = spawn(process.execPath, [outputServer, "--transport", "http", "--port", "0"], {
    env: { AICR_OUTPUT_STATE_PATH: join(folder, "http.json") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said] = (await once(child.stderr, "data")) as [Buffer];
  const url = new URL(/http:\S+/.exec(said.toString())?.[0] ?? "");
  let errors = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new Client({ name: "bench", version: "1.0.0" });
      await client.connect(new StreamableHTTPClientTransport(url) as Parameters<Client["connect"]>[0]);
      for (let index = 1; index <= callsEach; index++) {
        const answer = await client
          .callTool({ name: "aicr.report_problem", arguments: problem(index) })
          .catch(() => ({ isError: true, structuredContent: undefined }));
        // Each client's own count: sessions must not mix.
        const count = (answer.structuredContent as { problemCount?: number } | undefined)?.problemCount;
        if (answer.isError === true || count !== index) errors++;
      }
      await client.close();
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  child.kill();
  return [
    {
      name: `errors of ${clients} HTTP clients with ${callsEach} calls each`,
      value: errors,
      comparison: "at most",
      limit: 0,
      note: `${Math.round((clients * callsEach) / seconds)} calls a second`,
    },
  ];
}

function problem(index: number): Record<string, unknown> {
  const message = `Problem ${index}: the retry path returns before the failed job is persisted, so a transient error drops it.`;
  return { file: "src/service.ts", line: index, severity: "high", category: "correctness", message };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1_024;
}
