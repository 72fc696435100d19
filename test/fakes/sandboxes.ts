// The sandboxes of this machine for tests, each with the limits that the detection found; docker may be podman's under docker's name.
import { fileURLToPath } from "node:url";
import type { SandboxBackend } from "../../src/ports/sandbox.ts";
import { processes } from "../../src/process/spawn.ts";
import { createSandboxes, type Sandboxes } from "../../src/sandbox/detect.ts";
import { peer } from "../peers.ts";
import { silentLogger } from "./silent-logger.ts";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

export const relay: readonly [string, string] = [process.execPath, `${dist}sandbox-relay.mjs`];

export function testSandboxes(env: Readonly<Record<string, string | undefined>> = process.env): Sandboxes {
  const settings = { backend: "auto", requireIsolation: false } as const;
  return createSandboxes({ settings, processes, relay, env, logger: silentLogger });
}

/** Backends whose program is here; where peers are required its absence throws. Docker is asked for by its own suite. */
export function backendsHere(): readonly SandboxBackend[] {
  return ["native", ...(["bubblewrap", "podman"] as const).filter((name) => peer(name) !== null)];
}
