// manifest.json of a run directory: what an agent could read, and for each pass who ran where, what held and what it cost.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import type { PassKind } from "../ports/agent.ts";
import type { SandboxCapabilities } from "../ports/sandbox.ts";
import { replaceFileSync } from "../report-tools/atomic-file.ts";
import { readJsonDocument } from "../report-tools/json-document.ts";

export interface PassRecord {
  readonly runId: string;
  readonly kind: PassKind;
  readonly agent: { readonly name: string; readonly kind: string; readonly version?: string };
  /** The model that saw the code, where there is one. */
  readonly model?: string;
  readonly sandbox: Pick<SandboxCapabilities, "backend" | "isIsolated" | "enforces">;
  /** What was wanted and neither the agent nor its sandbox can do: one line each. */
  readonly unmet: readonly string[];
  readonly tools: {
    readonly isConnected: boolean;
    /** As the client of the tool server called itself. */
    readonly client?: string;
    /** Names of tools in the agent's own stream, as it spelled them, and how often. */
    readonly seen: Readonly<Record<string, number>>;
  };
  /** ISO 8601. */
  readonly startedAt: string;
  readonly ms: number;
  readonly exit: { readonly reason: string; readonly code: number | null; readonly verdict: string };
  readonly usage?: Readonly<Record<string, number | boolean>>;
}

const MAX_BYTES = 64 * 1024 * 1024;

const document = z.looseObject({ passes: z.array(z.unknown()).optional() });

function manifestPath(root: string): string {
  return join(root, "manifest.json");
}

/** What the manifest holds so far; empty where there is none. */
function readManifest(root: string): Readonly<Record<string, unknown>> {
  const read = readJsonDocument(manifestPath(root), MAX_BYTES, document);
  return read.kind === "ok" ? read.value : {};
}

/** Replaces what the manifest says of readable files, and keeps what it says of passes. Throws the system's error. */
export function writeReadable(root: string, readable: Readonly<Record<string, unknown>>): void {
  const { passes } = readManifest(root);
  write(root, { ...readable, ...(passes === undefined ? {} : { passes }) });
}

/** Adds a pass. Throws the system's error. */
export function recordPass(root: string, record: PassRecord): void {
  const before = readManifest(root);
  const passes = Array.isArray(before["passes"]) ? before["passes"] : [];
  write(root, { ...before, passes: [...passes, record] });
}

function write(root: string, content: unknown): void {
  const path = manifestPath(root);
  replaceFileSync(path, `${path}.${randomUUID()}.tmp`, [Buffer.from(`${JSON.stringify(content, null, 1)}\n`)]);
}
