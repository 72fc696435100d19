// `aicr-bot doctor`: looks at everything the product needs, and exits non-zero when something is wrong.
import { access, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { composeSandboxes } from "../../compose-review.ts";
import { createVcs } from "../../compose-vcs.ts";
import type { Config, RepositoryConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { bundlePath } from "../../config/paths.ts";
import { AppError } from "../../core/errors.ts";
import { createIds } from "../../process/random-ids.ts";
import { processes } from "../../process/spawn.ts";
import { createSystemClock } from "../../process/system-clock.ts";
import { sandboxChecks } from "../../sandbox/doctor.ts";
import { createSqliteStore } from "../../store/sqlite/store.ts";
import { createLogger } from "../../telemetry/log.ts";
import { checkTemplates } from "../../templates/check-templates.ts";
import { type ExitCode, type ParsedOptions, readOptions } from "../command-line.ts";
import { agentChecks } from "../doctor-agents.ts";
import { type ChannelArea, channelDoctor, configuredAreas } from "../doctor-channels.ts";
import { type CheckOutcome, type DoctorCheck, type DoctorResult, renderResults, runChecks } from "../doctor-checks.ts";
import type { CommandIo } from "../io.ts";

const usage = "aicr-bot doctor [<area>…] [--json] [--config <file>] [--to <id>] [--click <s>]";

const help = `Looks for what is wrong, and says what to do.

Usage: ${usage}

  <area>           only these: the first word of a check's name, such as repository, sandbox or slack
  --to <id>        lark: the chat (oc_…) or person (ou_…) that the test card goes to; default: a subscribed chat
  --click <s>      lark: wait so many seconds for somebody to press the test card's button
  --json           the outcome of every check as JSON
  --config <file>  the configuration; default: aicr-bot.yaml here, if there is one

Exit code: 0 when everything works, 1 when a check failed.
`;

const options = {
  json: { type: "boolean" },
  config: { type: "string" },
  to: { type: "string" },
  click: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const clock = createSystemClock();

export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const { values, positionals: areas } = readOptions(argv, options, usage);
  if (values["help"] === true) {
    io.stdout(help);
    return 0;
  }
  const file = values["config"];
  let config: Config | undefined;
  const load: DoctorCheck = {
    name: "configuration",
    async run() {
      const loaded = await loadConfig({ cwd: io.cwd, env: io.env, ...(typeof file === "string" ? { file } : {}) });
      config = loaded;
      const where = loaded.file ?? "no file: the defaults are used";
      const repositories = counted(loaded.repositories.length, "repository", "repositories");
      return ok(`${where}; ${repositories}, ${counted(loaded.subscriptions.length, "subscription", "subscriptions")}`);
    },
  };
  const general = [nodeCheck, gitCheck, bundleCheck];
  // The configuration says what else there is to look at, so that it is read whatever was asked for.
  const first = await runChecks(areas.length === 0 ? [...general, load] : [load], clock);
  const rest = config === undefined ? [] : await examine(config);
  const results = [...first, ...rest];
  const healthy = results.every(({ state }) => state !== "fail");
  if (values["json"] === true) io.stdout(`${JSON.stringify({ ok: healthy, checks: results }, null, 2)}\n`);
  else io.stdout(renderResults(results, io.stdoutIsTerminal && io.env["NO_COLOR"] === undefined));
  return healthy ? 0 : 1;

  /** What the configuration brings with it; the platforms last, because they take the longest. */
  async function examine(loaded: Config): Promise<readonly DoctorResult[]> {
    const known = [...checksOf(loaded), ...agentChecks(loaded, io.env)];
    const platforms = configuredAreas(loaded);
    refuseUnknown(areas, [...[...general, load, ...known].map(areaOf), ...platforms]);
    const asked = areas.length === 0 ? known : [...general, ...known].filter((check) => areas.includes(areaOf(check)));
    const done = await runChecks(asked, clock);
    const askedPlatforms = areas.length === 0 ? platforms : platforms.filter((area) => areas.includes(area));
    return askedPlatforms.length === 0 ? done : [...done, ...(await examinePlatforms(loaded, askedPlatforms))];
  }

  async function examinePlatforms(loaded: Config, platforms: readonly ChannelArea[]): Promise<readonly DoctorResult[]> {
    const logger = createLogger({ level: "silent" });
    const store = await createSqliteStore({ directory: loaded.dataDir, logger });
    try {
      const ports = { config: loaded, store, clock, ids: createIds(clock), logger, ...larkOptions(values) };
      const doctor = await channelDoctor(platforms, ports);
      try {
        return await runChecks(doctor.checks, clock);
      } finally {
        await doctor.close();
      }
    } finally {
      await store.close();
    }
  }
}

/** Throws AppError `bad_request` for a time that is none. */
function larkOptions({ to, click }: ParsedOptions["values"]): { readonly to?: string; readonly clickSeconds: number } {
  const seconds = click === undefined ? 0 : Number(click);
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > 600) {
    throw new AppError("bad_request", `--click ${String(click)} is no time.`, { remedy: "Say seconds, up to 600." });
  }
  return { ...(typeof to === "string" ? { to } : {}), clickSeconds: seconds };
}

/** Throws AppError `bad_request` for an area that no check belongs to. */
function refuseUnknown(areas: readonly string[], all: readonly string[]): void {
  const known = [...new Set(all)];
  const unknown = areas.find((area) => !known.includes(area));
  if (unknown === undefined) return;
  throw new AppError("bad_request", `The doctor knows nothing of ${unknown} here.`, {
    remedy: `Say one of: ${known.join(", ")}. A channel is there once it is configured.`,
  });
}

function areaOf({ name }: DoctorCheck): string {
  return name.split(":", 1)[0] ?? name;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function ok(detail: string): CheckOutcome {
  return { state: "ok", detail };
}

const nodeCheck: DoctorCheck = {
  name: "node",
  async run() {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const fits = major > 20 || (major === 20 && minor >= 19);
    if (fits) return ok(`Node ${process.versions.node}`);
    return {
      state: "fail",
      detail: `Node ${process.versions.node} is too old.`,
      remedy: "Install Node 20.19 or newer.",
    };
  },
};

const gitCheck: DoctorCheck = {
  name: "git",
  async run() {
    const result = await processes.run({
      argv: ["git", "--version"],
      cwd: process.cwd(),
      env: { PATH: process.env["PATH"] ?? "" },
      deadlineMs: 10_000,
      maxStdoutBytes: 1_000,
      maxStderrBytes: 1_000,
    });
    if (result.reason === "exited" && result.code === 0) return ok(result.stdout.toString("utf8").trim());
    return {
      state: "fail",
      detail: "git cannot be run.",
      remedy: "Install git, and make sure that it is on the PATH.",
    };
  },
};

const bundleCheck: DoctorCheck = {
  name: "bundles",
  async run() {
    const names = ["agent-checks", "agent-model", "mcp-output", "sandbox-relay", "store-writer"];
    for (const name of names) await access(bundlePath(name), constants.R_OK);
    return ok(`${names.length} bundles are built`);
  },
};

function checksOf(config: Config): DoctorCheck[] {
  return [
    {
      name: "data",
      async run() {
        await mkdir(config.dataDir, { recursive: true });
        await access(config.dataDir, constants.W_OK);
        return ok(config.dataDir);
      },
    },
    {
      name: "store",
      async run() {
        const store = await createSqliteStore({ directory: config.dataDir, logger: createLogger({ level: "silent" }) });
        try {
          const queue = await store.queue(clock.now());
          const counts = `${queue.queued} queued, ${queue.running} running, ${queue.undelivered} undelivered`;
          if (queue.dead === 0) return ok(counts);
          const remedy = "Look for review.crashed in the log; the reviews can be asked for again.";
          return { state: "warn", detail: `${counts}, ${queue.dead} given up`, remedy };
        } finally {
          await store.close();
        }
      },
    },
    {
      name: "templates",
      async run() {
        const mistakes = await checkTemplates(config.templateFolders);
        if (mistakes.length === 0) return ok("every template and catalogue reads well");
        const [worst] = mistakes;
        const count = counted(mistakes.length, "mistake", "mistakes");
        const detail = `${count}, the first in ${worst?.file}:${worst?.line}: ${worst?.message}`;
        return { state: "fail", detail, remedy: "See them all with: aicr-bot templates check" };
      },
    },
    ...config.repositories.map((repository) => repositoryCheck(repository, config.dataDir)),
    ...sandboxChecks(composeSandboxes(config, createLogger({ level: "silent" })), config.sandbox),
  ];
}

function repositoryCheck(repository: RepositoryConfig, dataDir: string): DoctorCheck {
  return {
    name: `repository:${repository.alias}`,
    async run() {
      const vcs = createVcs(repository, join(dataDir, "cache"), clock);
      const { head, defaultBranch } = await vcs.check({ deadlineMs: 30_000 });
      if (head === null) {
        const remedy = repository.vcs === "git" ? "Push a first commit." : "Submit a first change.";
        return { state: "warn", detail: "it has no changes yet", remedy };
      }
      if (repository.vcs !== "git") return ok(`${repository.vcs} at ${head.display}`);
      return ok(`${defaultBranch ?? "no default branch"} at ${head.display}`);
    },
  };
}
