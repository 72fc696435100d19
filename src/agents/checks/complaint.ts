// What an inspector says about one line of one side of a change, before it is known whether the change introduced it.

import type { Severity } from "../../core/problem.ts";
import type { EngineStatus } from "../../ports/check-engine.ts";
import type { TextKey, TextParams } from "./texts.ts";

/** Words of our own, to be put into the reader's language, or an engine's, which stay as they are. */
export type Words = { readonly text: string } | { readonly key: TextKey; readonly params?: TextParams };

/** Stable words that group findings; a finding's identity depends on them (CONTRACT §C). */
export type Category = "security" | "correctness" | "syntax" | "types" | "conflict" | "unicode" | "workflow";

export interface Complaint {
  /** `<engine>/<rule>`; with the line's text it is the complaint's identity across the two sides. */
  readonly rule: string;
  /** The path as the inspected side calls it. */
  readonly file: string;
  /** 1-based line of the inspected side. */
  readonly line: number;
  readonly endLine?: number;
  /** Further lines that take part in the defect, such as the second of two equal keys. */
  readonly related?: readonly number[];
  readonly severity: Severity;
  readonly category: Category;
  readonly message: Words;
  readonly suggestion?: Words;
  /**
   * Something that may be defined where this side cannot show it (a global, a generated member). When the base
   * complains of the same thing anywhere, the surroundings are the cause and no line of the change is to blame.
   */
  readonly ambient?: string;
}

/** One side of a change as the inspectors see it. */
export interface Side {
  /** Absolute directory that holds the files, for engines that read them from the disk. */
  readonly root: string;
  readonly files: readonly InspectedFile[];
}

export interface InspectedFile {
  /** POSIX path below the side's root. */
  readonly path: string;
  readonly text: string;
}

export interface Inspection {
  readonly complaints: readonly Complaint[];
  /** How each engine behind the inspector fared; an inspector that is one engine reports itself. */
  readonly engines: Readonly<Record<string, EngineStatus>>;
}

/** Looks at files of one kind; every inspector is loaded and run only if the change has such a file. */
export interface Inspector {
  readonly name: string;
  fits(path: string): boolean;
  inspect(side: Side, signal: AbortSignal): Promise<Inspection>;
}

/** An inspection by one engine that went well. */
export function inspected(engine: string, complaints: readonly Complaint[]): Inspection {
  return { complaints, engines: { [engine]: { status: "ok" } } };
}
