// The sandboxes of this machine for tests, each with the limits that the detection found; docker may be podman's under docker's name.
import { fileURLToPath } from "node:url";
import type { Sandbox, SandboxBackend } from "../../src/ports/sandbox.ts";
import { processes } from "../../src/process/spawn.ts";
import { createSandboxes, type Sandboxes } from "../../src/sandbox/detect.ts";
import { areRequired, peer } from "../peers.ts";
import { silentLogger } from "./silent-logger.ts";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

export const relay: readonly [string, string] = [process.execPath, `${dist}sandbox-relay.mjs`];

export function testSandboxes(env: Readonly<Record<string, string | undefined>> = process.env): Sandboxes {
  const settings = { backend: "auto", requireIsolation: false } as const;
  return createSandboxes({ settings, processes, relay, env, logger: silentLogger });
}

export interface WorkingBackend {
  readonly backend: SandboxBackend;
  readonly sandbox: Sandbox;
}

export interface Backends {
  readonly working: readonly WorkingBackend[];
  /** A backend that is installed and does not work here, with its reason: containers often forbid others inside them. */
  readonly unusable: readonly (readonly [SandboxBackend, string])[];
}

/** Tries what is installed. Throws where peers are required and one is missing or does not work. Docker has its own suite. */
export async function backendsHere(): Promise<Backends> {
  const installed = (["bubblewrap", "podman"] as const).filter((name) => peer(name) !== null);
  const working: WorkingBackend[] = [];
  const unusable: [SandboxBackend, string][] = [];
  const sandboxes = testSandboxes();
  for (const backend of ["native", ...installed] as const) {
    const probe = await sandboxes.probe(backend);
    if (probe.kind === "works") working.push({ backend, sandbox: probe.sandbox });
    else if (areRequired)
      throw new Error(`${backend} does not work here, and AICR_REQUIRE_PEERS=1 demands it: ${probe.reason}`);
    else unusable.push([backend, probe.reason]);
  }
  return { working, unusable };
}
