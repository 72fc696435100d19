// Starts the servers that webhooks are measured with, each in a process of its own.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const secret = "benchmark secret";
const bundles = new URL("node_modules/.bench/", import.meta.url);
const writerEntry = new URL("store-writer.mjs", bundles).href;

export interface Peer {
  readonly port: number;
  readonly path: string;
  stop(): void;
  /** Lets it end by itself, as our own server does once nobody holds its channel; resolves when it has. */
  end(): Promise<void>;
}

export function peerFile(name: string): string {
  return fileURLToPath(new URL(`peers/${name}`, import.meta.url));
}

/** As the product is bundled; where packages that stay outside are found. */
export async function bundleServer(): Promise<string> {
  await build({
    entryPoints: {
      "webhook-server": peerFile("webhook-server.ts"),
      "store-writer": fileURLToPath(new URL("../../src/entries/store-writer.ts", import.meta.url)),
    },
    outdir: fileURLToPath(bundles),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minifySyntax: true,
    logLevel: "warning",
    external: ["better-sqlite3"],
    banner: { js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);' },
  });
  return fileURLToPath(new URL("webhook-server.mjs", bundles));
}

/** @param under a program, with its arguments, to run it under. */
export function start(file: string, folder: string, under: readonly string[] = []): Promise<Peer> {
  const [command = process.execPath, ...rest] = [...under, process.execPath, file];
  const child = spawn(command, rest, {
    env: { ...process.env, BENCH_SECRET: secret, BENCH_FOLDER: folder, BENCH_WRITER: writerEntry },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr?.on("data", (text: Buffer) => {
    errors += text.toString();
  });
  return new Promise((resolve, reject) => {
    const ended = new Promise<void>((done) => {
      child.once("exit", () => {
        done();
        reject(new Error(`${file} ended: ${errors}`));
      });
    });
    child.once("error", reject);
    child.once("message", (message) => {
      const { port, path } = message as { port: number; path: string };
      resolve({
        port,
        path,
        stop: () => void child.kill("SIGKILL"),
        async end() {
          child.disconnect();
          await ended;
        },
      });
    });
  });
}
