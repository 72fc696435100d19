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
import { relay, testSandboxes } from "../fakes/sandboxes.ts";
import { describeWithPeer, peer } from "../peers.ts";
import { sandboxContract } from "./sandbox.ts";

const sandboxes = testSandboxes();

async function working(backend: SandboxBackend, from = sandboxes): Promise<Sandbox> {
  const probe = await from.probe(backend);
  if (probe.kind === "works") return probe.sandbox;
  throw new Error(`${backend} does not work here: ${probe.reason}`);
}

describe("sandboxes", () => {
  sandboxContract("native", () => working("native"));
  sandboxContract("native, watched", async () => createNativeSandbox({ processes }), "limits");
  describeWithPeer("bubblewrap", "with bubblewrap", () => {
    sandboxContract("bubblewrap", () => working("bubblewrap"));
    sandboxContract("bubblewrap, watched", async () => createBubblewrapSandbox({ processes, relay }), "limits");
  });
  describeWithPeer("podman", "with podman", () => sandboxContract("podman", () => working("podman")));
});

// A docker client is no peer that every machine can have; podman's service answers it where both are there.
describe.skipIf(peer("podman") === null || !hasDocker())("docker's client with podman's service", () => {
  const folder = mkdtempSync(join(tmpdir(), "aicr-docker-"));
  const socket = join(folder, "s");
  let service: ChildProcess | null = null;
  afterAll(() => {
    service?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  sandboxContract("docker", async () => {
    service = spawn("podman", ["system", "service", "--time=0", `unix://${socket}`], { stdio: "ignore" });
    for (let i = 0; i < 100 && !existsSync(socket); i++) await delay(100);
    return working("docker", testSandboxes({ ...process.env, DOCKER_HOST: `unix://${socket}` }));
  });
});

function hasDocker(): boolean {
  return (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, "docker")));
}
