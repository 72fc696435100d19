// Which sandbox is taken: the strongest that works, with reasons why not a stronger one; and none at all where a wall is demanded.
import { describe, expect, it } from "vitest";
import { sandboxConfigOf, sandboxSchema } from "../../../src/config/sandbox-schema.ts";
import type { Processes, ProcessRequest, ProcessResult } from "../../../src/process/spawn.ts";
import { createSandboxes, type Sandboxes, type SandboxSettings } from "../../../src/sandbox/detect.ts";
import { sandboxChecks } from "../../../src/sandbox/doctor.ts";
import { silentLogger } from "../../fakes/silent-logger.ts";

const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
const works: ProcessResult = { reason: "exited", code: 0, ...nothing, stdout: Buffer.from("aicr-sandbox-works\n") };

/** A machine on which some programs are installed and work. */
function machine(
  installed: (request: ProcessRequest) => ProcessResult | null,
  settings: Partial<SandboxSettings> = {},
): {
  readonly sandboxes: Sandboxes;
  readonly settings: SandboxSettings;
  readonly ran: ProcessRequest[];
  readonly warned: unknown[];
} {
  const ran: ProcessRequest[] = [];
  const warned: unknown[] = [];
  const processes: Processes = {
    async run(request) {
      ran.push(request);
      return installed(request) ?? { reason: "spawn_failed", message: `spawn ${request.argv[0]} ENOENT`, ...nothing };
    },
    open: () => {
      throw new Error("nothing is opened");
    },
  };
  const full: SandboxSettings = { backend: "auto", requireIsolation: false, ...settings };
  const logger = { ...silentLogger, warn: (event: string, fields?: object) => void warned.push({ event, ...fields }) };
  const relay = [process.execPath, "/dist/relay.mjs"] as const;
  const sandboxes = createSandboxes({
    settings: full,
    processes,
    relay,
    env: { PATH: "/bin", DOCKER_HOST: "d", SECRET: "s" },
    logger,
  });
  return { sandboxes, settings: full, ran, warned };
}

const program = ({ argv }: ProcessRequest): string =>
  argv.find((word) => /^(?:bwrap|podman|docker)$/.test(word)) ?? "node";
const only =
  (...names: string[]) =>
  (request: ProcessRequest) =>
    names.includes(program(request)) ? works : null;

describe("the choice of a sandbox", () => {
  it.each([
    [["bwrap", "podman", "docker", "node"], "bubblewrap"],
    [["podman", "docker", "node"], "podman"],
    [["docker", "node"], "docker"],
    [["node"], "native"],
  ])("with %j is %s", async (names, name) => {
    const { sandboxes } = machine(only(...names));
    expect((await sandboxes.choose()).name).toBe(name);
  });

  it("tries each backend once, and warns once that there is no wall", async () => {
    const { sandboxes, ran, warned } = machine(only("node"));
    await Promise.all([sandboxes.choose(), sandboxes.choose()]);
    const before = ran.length;
    await sandboxes.choose();
    expect(ran.length).toBe(before);
    expect(warned).toEqual([
      {
        event: "sandbox.no_wall",
        sandbox: "native",
        stronger: expect.arrayContaining(["docker: docker is not installed"]),
      },
    ]);
  });

  it("runs nothing without a wall where one is demanded, and says what to install", async () => {
    const { sandboxes } = machine(only("node"), { requireIsolation: true });
    await expect(sandboxes.choose()).rejects.toMatchObject({
      code: "config",
      remedy: expect.stringContaining("bubblewrap"),
    });
  });

  it("takes a named one or none", async () => {
    expect((await machine(only("podman", "bwrap"), { backend: "podman" }).sandboxes.choose()).name).toBe("podman");
    await expect(machine(only("node"), { backend: "bubblewrap" }).sandboxes.choose()).rejects.toMatchObject({
      code: "config",
    });
  });

  it("tries podman's other runtime and groups before it gives it up", async () => {
    const { sandboxes, ran } = machine((request) => {
      if (program(request) !== "podman") return null;
      if (request.argv.includes("cgroupfs")) return works;
      return {
        reason: "exited",
        code: 126,
        ...nothing,
        stderr: Buffer.from("Usage\nError: crun: no such group\nmore\n"),
      };
    });
    const probe = await sandboxes.probe("podman");
    expect(probe.kind).toBe("works");
    // Whatever happened, the containers are removed by their names.
    const removed = ran.filter(({ argv }) => argv.includes("rm")).map(({ argv }) => argv.at(-1));
    expect(removed).toHaveLength(3);
  });

  it("gives podman and docker their own variables and no others; agents get none of them", async () => {
    const { sandboxes, ran } = machine(only("docker"));
    await sandboxes.probe("docker");
    for (const { env } of ran) expect(env).toEqual({ PATH: "/bin", DOCKER_HOST: "d" });
    const run = ran.find(({ argv }) => argv.includes("run"));
    expect(run?.argv).toEqual(
      expect.arrayContaining(["--network", "none", "--read-only", "no-new-privileges", "--cap-drop", "ALL"]),
    );
    expect(run?.argv.join(" ")).not.toContain("DOCKER_HOST");
  });
});

describe("doctor", () => {
  it("names the sandbox, what does not hold, and why not a stronger one", async () => {
    const { sandboxes, settings } = machine((request) =>
      program(request) === "node"
        ? works
        : {
            reason: "exited",
            code: 1,
            ...nothing,
            stderr: Buffer.from("bwrap: No permissions to create a new namespace\n"),
          },
    );
    const [check] = sandboxChecks(sandboxes, settings);
    const outcome = await check?.run();
    expect(outcome).toMatchObject({ state: "warn", remedy: expect.stringContaining("bubblewrap") });
    expect(outcome?.detail).toContain("native; ");
    expect(outcome?.detail).toContain("not bubblewrap: bwrap: No permissions to create a new namespace");
    expect(outcome?.detail).toContain("network: not enforced");
  });

  it("is content with a wall, and fails where none can be had", async () => {
    const good = machine(only("bwrap", "node"));
    expect(await sandboxChecks(good.sandboxes, good.settings)[0]?.run()).toMatchObject({ state: "ok" });
    const bad = machine(() => null, { requireIsolation: true });
    expect(await sandboxChecks(bad.sandboxes, bad.settings)[0]?.run()).toMatchObject({ state: "fail" });
  });
});

describe("the settings of the file", () => {
  it("have defaults, and units of the code", () => {
    expect(sandboxConfigOf(sandboxSchema.parse(undefined))).toEqual({
      backend: "auto",
      requireIsolation: false,
      limits: { memoryBytes: 4_096 * 1024 * 1024, processes: 1_024 },
      idleMs: 300_000,
      maxOutputBytes: 64 * 1024 * 1024,
    });
  });

  it.each([{ backend: "chroot" }, { memory_mb: 1 }, { image: "" }, { netwrok: true }])("%j is refused", (group) => {
    expect(sandboxSchema.safeParse(group).success).toBe(false);
  });
});
