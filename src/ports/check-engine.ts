// Static analysers (oxlint, tsc, biome, …) behind a common shape.

export type EngineSeverity = "error" | "warning";

/** One complaint of an engine, before clustering. */
export interface Diagnostic {
  /** `oxlint`, `tsc` or `biome`. */
  readonly engine: string;
  readonly rule: string;
  /** Project-relative POSIX path. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, UTF-16 code units. */
  readonly col: number;
  readonly endLine?: number;
  /** Further lines that the engine points at (the second of two equal keys), 1-based, in the engine's order. */
  readonly related?: readonly number[];
  readonly severity: EngineSeverity;
  /** The engine's whole message, unshortened, one line. */
  readonly message: string;
  /** True only where the engine offers a structured fix. */
  readonly fixable: boolean;
}

export type EngineStatus =
  | { readonly status: "ok" }
  | { readonly status: "disabled" }
  | { readonly status: "error"; readonly message: string };

export interface Diagnosis {
  readonly engines: Readonly<Record<string, EngineStatus>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Runs every engine that fits the files, side by side. A failing engine never hides another's diagnostics. */
export interface CheckEngines {
  diagnose(request: {
    readonly root: string;
    readonly files: readonly string[];
    readonly signal?: AbortSignal;
  }): Promise<Diagnosis>;
}
