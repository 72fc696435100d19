// A project in a temporary folder, and engines that answer at once: a line with a marker is a complaint.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Checks, type ChecksOptions, createChecks } from "../../../src/checks/checks.ts";
import type { EnginePackage } from "../../../src/checks/engine-package.ts";
import type { EngineName } from "../../../src/checks/limits.ts";
import type { CheckResponse } from "../../../src/checks/response.ts";
import type { ProcessRequest, ProcessResult } from "../../../src/process/spawn.ts";

export interface Project {
  readonly root: string;
  readonly cacheDir: string;
  put(file: string, text: string): void;
  move(from: string, to: string): void;
  drop(file: string): void;
  remove(): void;
}

export function createProject(files: Readonly<Record<string, string>> = {}): Project {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "checks-")));
  const root = join(base, "project");
  mkdirSync(root);
  const project: Project = {
    root,
    cacheDir: join(base, "cache"),
    put(file, text) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    },
    move: (from, to) => renameSync(join(root, from), join(root, to)),
    drop: (file) => rmSync(join(root, file)),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
  for (const [file, text] of Object.entries(files)) project.put(file, text);
  return project;
}

export interface FakeEngines {
  /** What was started since the last call, sorted: engine and the files given to it. */
  taken(): readonly string[];
  readonly run: (request: ProcessRequest) => Promise<ProcessResult>;
  readonly find: (engine: EngineName) => EnginePackage | null;
  /** Answers instead of the engine, while it is set. */
  readonly instead: Partial<Record<EngineName, ProcessResult>>;
  readonly version: Record<EngineName, string>;
}

const none = Buffer.alloc(0);

/** `LINT[:rule]` is a complaint of oxlint, `TYPE[:text]` one of tsc, `STYLE` one of biome. */
export function createFakeEngines(root: string): FakeEngines {
  let started: string[] = [];
  const instead: FakeEngines["instead"] = {};
  const version = { oxlint: "1.0.0", tsc: "5.0.0", biome: "2.6.0" };

  function lines(file: string): readonly string[] {
    return readFileSync(join(root, file), "utf8").split("\n");
  }

  function oxlint(files: readonly string[]): string {
    const diagnostics = files.flatMap((file) =>
      lines(file).flatMap((line, index) => {
        const match = /LINT(?::(\S+))?(?: (.*))?/.exec(line);
        const code = `eslint(${match?.[1] ?? "no-lint"})`;
        const labels = [{ span: { line: index + 1, column: 1 } }];
        return match === null
          ? []
          : [
              {
                message: match[2] ?? "is lint",
                code,
                severity: "warning",
                filename: file,
                labels,
                fixes: line.includes("FIX") ? [{}] : [],
              },
            ];
      }),
    );
    return JSON.stringify({ diagnostics });
  }

  function biome(files: readonly string[]): string {
    const diagnostics = files
      .filter((file) => lines(file).some((line) => line.includes("STYLE")))
      .map((path) => ({ code: { value: "lint/style" }, location: { path }, message: "style", severity: "ERROR" }));
    return JSON.stringify({ diagnostics });
  }

  /** Reads what the given configuration lists, or every .ts file that the test put into `include`. */
  function tsc(config: string): string {
    const { files } = JSON.parse(readFileSync(config, "utf8")) as { files?: readonly string[] };
    const relative = (files ?? []).map((file) => (file.startsWith(root) ? file.slice(root.length + 1) : file));
    const complaints = relative.flatMap((file) =>
      lines(file).flatMap((line, index) =>
        line.includes("TYPE") ? [`${file}(${index + 1},1): error TS2322: ${line.split("TYPE:")[1] ?? "wrong"}`] : [],
      ),
    );
    return [...complaints, ...relative.map((file) => join(root, file))].join("\n");
  }

  return {
    taken() {
      const taken = started;
      started = [];
      return taken.sort();
    },
    run(request) {
      const [engine, ...args] = request.argv as [EngineName, ...string[]];
      const files = args.slice(args.indexOf("--") + 1);
      started.push(engine === "tsc" ? "tsc" : `${engine} ${files.join(" ")}`);
      const given = instead[engine];
      if (args[0] === "--rules") return Promise.reject(new Error("every report of these engines lists its fixes"));
      if (given !== undefined) return Promise.resolve(given);
      const text =
        engine === "oxlint"
          ? oxlint(files)
          : engine === "biome"
            ? biome(files)
            : tsc(args[args.indexOf("-p") + 1] ?? "");
      return Promise.resolve({ reason: "exited", code: 0, stdout: Buffer.from(text), stderr: none });
    },
    find: (engine) => ({
      engine,
      version: version[engine],
      origin: "project",
      directory: `/engines/${engine}`,
      command: [engine],
    }),
    instead,
    version,
  };
}

export interface Bench {
  readonly project: Project;
  readonly engines: FakeEngines;
  readonly checks: Checks;
  /** Checks and gives the response; throws if the paths were refused. */
  check(paths?: readonly string[]): Promise<CheckResponse>;
  /** Another server on the same project, with the same cache. */
  restart(options?: Partial<ChecksOptions>): Bench;
}

export function createBench(project: Project, options: Partial<ChecksOptions> = {}): Bench {
  const engines = createFakeEngines(project.root);
  const checks = createChecks({
    trust: "own",
    root: project.root,
    cacheDir: project.cacheDir,
    run: engines.run,
    findEngine: engines.find,
    ...options,
  });
  return {
    project,
    engines,
    checks,
    async check(paths) {
      const answer = await checks.check(paths);
      if (answer.kind === "refused") throw new Error(answer.message);
      return answer.response;
    },
    restart: (more) => createBench(project, { ...options, ...more }),
  };
}
