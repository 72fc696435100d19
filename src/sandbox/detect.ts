// Finds which sandboxes work on this machine by running a program in each, and picks the one that the configuration wants.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import type { RunPaths } from "../ports/agent.ts";
import type { Logger } from "../ports/logger.ts";
import type { Sandbox, SandboxBackend } from "../ports/sandbox.ts";
import type { Processes } from "../process/spawn.ts";
import { createBubblewrapSandbox } from "./bubblewrap.ts";
import { type Cgroups, openCgroups } from "./cgroup.ts";
import { createContainerSandbox, removeLeftovers } from "./container.ts";
import { emptyImage, importEmptyImage } from "./empty-image.ts";
import { createNativeSandbox } from "./native.ts";

export interface SandboxSettings {
  /** `auto`: the strongest that works, in the order of `strongestFirst`. */
  readonly backend: "auto" | SandboxBackend;
  /** Whether a review fails rather than run without a wall. */
  readonly requireIsolation: boolean;
  /** For podman and docker: an image that has what the agents need; without it the machine's own programs are mounted. */
  readonly image?: string;
}

export interface SandboxesParts {
  readonly settings: SandboxSettings;
  readonly processes: Processes;
  /** Absolute paths of node and of the bundle `sandbox-relay`. */
  readonly relay: readonly [node: string, entry: string];
  /** The bot's own environment, of which the clients of podman and docker get what they need. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

export type Probe =
  | { readonly kind: "works"; readonly sandbox: Sandbox }
  /** The reason is one line, without its full stop. */
  | { readonly kind: "unusable"; readonly reason: string };

export interface Sandboxes {
  /** Tries a backend; the outcome is kept as long as this process lives. */
  probe(backend: SandboxBackend): Promise<Probe>;
  /** What the configuration wants. Throws AppError `config` when it cannot be had. */
  choose(): Promise<Sandbox>;
}

export const strongestFirst: readonly SandboxBackend[] = ["bubblewrap", "podman", "docker", "native"];

/** How long a backend may take to run nothing, ms: an engine that has to be woken needs some. */
const PROBE_MS = 30_000;

/** What some machines need before podman runs there: another runtime, or groups that no systemd manages. */
const podmanGlobals = [[], ["--runtime", "runc"], ["--cgroup-manager", "cgroupfs", "--runtime", "runc"]] as const;

export function createSandboxes(parts: SandboxesParts): Sandboxes {
  const { settings, processes, relay } = parts;
  const probes = new Map<SandboxBackend, Promise<Probe>>();
  let cgroups: Promise<Cgroups | null> | null = null;
  let chosen: Promise<Sandbox> | null = null;

  function probe(backend: SandboxBackend): Promise<Probe> {
    const known = probes.get(backend) ?? tryBackend(backend);
    probes.set(backend, known);
    return known;
  }

  async function tryBackend(backend: SandboxBackend): Promise<Probe> {
    let last: Probe = { kind: "unusable", reason: "it was not tried" };
    for (const make of candidates(backend)) {
      const sandbox = await make();
      last = "reason" in sandbox ? { kind: "unusable", reason: sandbox.reason } : await tryOut(sandbox);
      if (last.kind === "works") return last;
    }
    return last;
  }

  function candidates(backend: SandboxBackend): readonly (() => Promise<Sandbox | { readonly reason: string }>)[] {
    const groups = (): Promise<Cgroups | null> => {
      cgroups ??= openCgroups();
      return cgroups;
    };
    const own = settings.image === undefined ? {} : { image: settings.image };
    const clientEnv = clientEnvironment(parts.env);
    switch (backend) {
      case "native":
        return [async () => createNativeSandbox({ processes, cgroups: await groups() })];
      case "bubblewrap":
        return [async () => createBubblewrapSandbox({ processes, relay, cgroups: await groups() })];
      case "podman":
        return podmanGlobals.map((globals) => async () => {
          const engine = { engine: "podman", processes, relay, clientEnv, globals, ...own } as const;
          await removeLeftovers(engine);
          return createContainerSandbox(engine);
        });
      case "docker":
        return [
          async () => {
            const image = settings.image ?? emptyImage;
            const isImageEmpty = settings.image === undefined;
            const fault = isImageEmpty ? await importEmptyImage(processes, clientEnv) : null;
            if (fault !== null) return { reason: fault };
            const engine = { engine: "docker", processes, relay, clientEnv, image, isImageEmpty } as const;
            await removeLeftovers(engine);
            return createContainerSandbox(engine);
          },
        ];
    }
  }

  async function pick(): Promise<Sandbox> {
    const { backend } = settings;
    const reasons: string[] = [];
    for (const candidate of backend === "auto" ? strongestFirst : [backend]) {
      if (candidate === "native" && settings.requireIsolation) continue;
      const outcome = await probe(candidate);
      if (outcome.kind === "works") return announce(outcome.sandbox, reasons);
      reasons.push(`${candidate}: ${outcome.reason}`);
    }
    throw new AppError("config", `No sandbox can be used (${reasons.join("; ") || "native has no wall"}).`, {
      remedy: settings.requireIsolation
        ? "Install bubblewrap or podman, or set sandbox.require_isolation to false."
        : "Install bubblewrap or podman, or set sandbox.backend to auto.",
      reason: "no_sandbox",
    });
  }

  function announce(sandbox: Sandbox, stronger: readonly string[]): Sandbox {
    if (sandbox.capabilities.isIsolated) parts.logger.info("sandbox.chosen", { sandbox: sandbox.name });
    else parts.logger.warn("sandbox.no_wall", { sandbox: sandbox.name, stronger });
    return sandbox;
  }

  return {
    probe,
    choose() {
      chosen ??= pick();
      return chosen;
    },
  };
}

/** Runs node in a run directory of its own, and has it write a file where agents write theirs. */
async function tryOut(sandbox: Sandbox): Promise<Probe> {
  const root = await mkdtemp(join(tmpdir(), "aicr-probe-"));
  try {
    const paths = await layOut(root);
    const view = sandbox.view({ paths, programs: [process.execPath] });
    const exit = await sandbox.run(
      {
        argv: [process.execPath, "-e", `require("fs").writeFileSync("probe", "x"); console.log("${SIGN}")`],
        cwd: view.paths.agent,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: view.paths.tmp },
        deadlineMs: PROBE_MS,
        maxOutputBytes: 16_384,
        limits: { memoryBytes: 512 * 1024 * 1024, processes: 128 },
        view,
      },
      new AbortController().signal,
    );
    if (exit.reason === "exited" && exit.code === 0 && exit.stdout.includes(SIGN)) return { kind: "works", sandbox };
    const said = faultLine(exit.stderr.toString("utf8"));
    return { kind: "unusable", reason: said === "" ? `it ended with ${exit.code ?? exit.reason}` : said };
  } catch (thrown) {
    return { kind: "unusable", reason: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** The line that names the fault, where one does; engines surround it with what they did and with how they are used. */
function faultLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.find((line) => /error|cannot|denied|fail|not found/i.test(line));
  return (telling ?? lines.at(-1) ?? "").trim().slice(0, 300);
}

const SIGN = "aicr-sandbox-works";

async function layOut(root: string): Promise<RunPaths> {
  const at = (name: string): string => join(root, name);
  const agent = at("agent");
  const folders = { source: at("source"), base: at("base"), agent, tmp: at("tmp") };
  for (const folder of Object.values(folders)) await mkdir(folder);
  return { root, change: at("change.json"), ...folders, state: join(agent, "state.json") };
}

/** What podman and docker read of their caller's environment; the agents get nothing of it. */
function clientEnvironment(env: SandboxesParts["env"]): Readonly<Record<string, string>> {
  const names = ["PATH", "HOME", "USER", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMPDIR"];
  const engines = Object.keys(env).filter((name) => /^(?:DOCKER|CONTAINERS?|PODMAN|BUILDAH|REGISTRY)_/.test(name));
  const pairs = [...names, ...engines].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return Object.fromEntries(pairs) as Record<string, string>;
}
