// What the known command lines have in common: their program is found, a model is theirs, and their stream is read the same way.
import { AppError } from "../core/errors.ts";
import type { Adapter, AdapterCapabilities, AdapterModel, AdapterSetup, Invocation, StreamReading } from "./adapter.ts";
import { findProgram } from "./find-program.ts";

/** What an operator says of an agent's program. */
export interface CommandLineSettings {
  /** Name or absolute path; absent: by its usual name. */
  readonly program?: string;
  /** Further arguments, after the adapter's own. */
  readonly arguments: readonly string[];
  /** Absolute paths that it runs from beside its package. */
  readonly reads: readonly string[];
  /** Further variables; the adapter's own go before them. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders where it is looked for, in the form of PATH. */
  readonly searched: string;
}

/** A pass whose model is known to be there. */
export interface CommandLineSetup extends AdapterSetup {
  readonly model: AdapterModel;
  /** Further arguments; they stand before a prompt that is an argument itself. */
  readonly further: readonly string[];
  /** The prompt's place: an argument, or stdin where it is too long for one. */
  readonly asked: { readonly argument: string; readonly stdin?: undefined } | { readonly stdin: string };
}

export interface CommandLine {
  /** As the configuration names it. */
  readonly kind: string;
  /** As people call it. */
  readonly title: string;
  /** Usual name of the program. */
  readonly program: string;
  /** What installs it, as a person would type it. */
  readonly install: string;
  readonly capabilities: AdapterCapabilities;
  /** Arguments and variables; the program itself is put before them. */
  prepare(setup: CommandLineSetup): Promise<{
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }>;
  read(onProgress: (note: string) => void): StreamReading;
}

/** The kernel refuses a single argument of 128 KiB. */
const LONGEST_ARGUMENT = 96 * 1024;

export function createCommandLineAdapter(line: CommandLine, settings: CommandLineSettings): Adapter {
  const wanted = settings.program ?? line.program;
  return {
    kind: line.kind,
    capabilities: line.capabilities,
    // Looked up for every pass: a program may be installed, or replaced by a newer one, while the bot runs.
    get programs() {
      return [...(findProgram(wanted, settings.searched)?.runsFrom ?? []), ...settings.reads];
    },
    get version() {
      return findProgram(wanted, settings.searched)?.version;
    },
    async prepare(setup): Promise<Invocation> {
      const { model } = setup;
      if (model === undefined) throw noModel(line);
      const found = findProgram(wanted, settings.searched);
      if (found === null) throw missing(line, wanted);
      const isLong = Buffer.byteLength(setup.prompt) > LONGEST_ARGUMENT;
      const asked = isLong ? { stdin: setup.prompt } : { argument: setup.prompt };
      const { args, env } = await line.prepare({ ...setup, model, asked, further: settings.arguments });
      return {
        argv: [found.path, ...args],
        env: { ...settings.env, ...env },
        ...(isLong ? { stdin: setup.prompt } : {}),
      };
    },
    read: (onProgress) => line.read(onProgress),
  };
}

function missing(line: CommandLine, wanted: string): AppError {
  return new AppError("config", `${line.title} is not installed: there is no program ${wanted}.`, {
    remedy: `Install it with "${line.install}", or name its path as agents.program in the configuration.`,
    reason: "agent_missing",
  });
}

function noModel(line: CommandLine): AppError {
  return new AppError("config", `${line.title} has no model to ask.`, {
    remedy: `Name one of kind ${line.capabilities.endpoints.join(" or ")} as the agent's models in the configuration.`,
    reason: "agent_without_model",
  });
}
