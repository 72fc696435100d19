// Every sandbox of this machine against the port's suite: with the kernel's bounds where they can be had, and by watching alone.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe } from "vitest";
import type { Sandbox, SandboxBackend } from "../../src/ports/sandbox.ts";
import { processes } from "../../src/process/spawn.ts";
import { createBubblewrapSandbox } from "../../src/sandbox/bubblewrap.ts";
import { createNativeSandbox } from "../../src/sandbox/native.ts";
import { backendsHere, relay, testSandboxes } from "../fakes/sandboxes.ts";
import { sandboxContract } from "./sandbox.ts";

const { working, unusable } = await backendsHere();
const watched: Readonly<Partial<Record<SandboxBackend, () => Sandbox>>> = {
  native: () => createNativeSandbox({ processes }),
  bubblewrap: () => createBubblewrapSandbox({ processes, relay }),
};

describe("sandboxes", () => {
  for (const { backend, sandbox } of working) {
    sandboxContract(backend, async () => sandbox);
    const make = watched[backend];
    if (make !== undefined) sandboxContract(`${backend}, watched`, async () => make(), "limits");
  }
  for (const [backend, reason] of unusable) describe.skip(`${backend} (skipped: ${reason})`, () => undefined);
});

// A docker client is no peer that every machine can have; podman's service answers it where both are there.
describe.skipIf(working.every(({ backend }) => backend !== "podman") || !hasDocker())(
  "docker's client with podman's service",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "aicr-docker-"));
    const socket = join(folder, "s");
    let service: ChildProcess | null = null;
    afterAll(() => {
      service?.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    });

    sandboxContract("docker", async () => {
      service = spawn("podman", ["system", "service", "--time=0", `unix://${socket}`], {
        cwd: folder,
        stdio: "ignore",
      });
      for (let i = 0; i < 100 && !existsSync(socket); i++) await delay(100);
      const probe = await testSandboxes({ ...process.env, DOCKER_HOST: `unix://${socket}` }).probe("docker");
      if (probe.kind === "works") return probe.sandbox;
      throw new Error(`docker does not work here: ${probe.reason}`);
    });
  },
);

function hasDocker(): boolean {
  return (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, "docker")));
}
