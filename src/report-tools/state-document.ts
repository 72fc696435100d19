// The state document in memory: counts, duplicates and serialised pieces, so that a call at the end of a pass costs what one at its start did.
import { createByteLog } from "./byte-log.ts";
import { caps, showBytes } from "./limits.ts";
import { type LookUpOutcome, stateVersion } from "./state-file.ts";
import type { LookUpInput, PublishSummaryInput, ReportProblemInput } from "./tool-inputs.ts";

export type Addition =
  | { readonly section: "problems"; readonly entry: ReportProblemInput }
  | { readonly section: "summaries"; readonly entry: PublishSummaryInput }
  | {
      readonly section: "contextRequests" | "attributionRequests";
      readonly entry: LookUpInput & { outcome: LookUpOutcome };
    }
  | { readonly section: "skipReason"; readonly entry: string };

/** What an addition would do; `apply` makes it so, and is called once the pieces are on disk. */
export type Plan =
  | { readonly kind: "write"; readonly pieces: readonly Uint8Array[]; apply(): void }
  | { readonly kind: "duplicate" }
  /** The reason is a whole sentence for the agent. */
  | { readonly kind: "full"; readonly reason: string };

export interface StateDocument {
  plan(addition: Addition): Plan;
  /** The document as it is, for when the file has to be written again. */
  pieces(): readonly Uint8Array[];
  count(section: ListSection): number;
}

export type ListSection = "problems" | "summaries" | "contextRequests" | "attributionRequests";

const sectionNames: Readonly<Record<ListSection, string>> = {
  problems: "problems",
  summaries: "summaries",
  contextRequests: "context requests",
  attributionRequests: "attribution requests",
};

const listSections: readonly ListSection[] = ["problems", "summaries", "contextRequests", "attributionRequests"];

/** What an earlier server of the pass left; entries are taken as they are, their reader validates them. */
export type StoredDocument = Readonly<Record<ListSection, readonly unknown[]>> & { readonly skipReason?: unknown };

/** @param stored what an earlier server of the same pass wrote; without it the document starts empty. */
export function createStateDocument(runId: string, stored?: StoredDocument): StateDocument {
  const sections = new Map(listSections.map((name) => [name, createSection()]));
  let skipReason: unknown = stored?.skipReason;
  for (const name of listSections) {
    for (const entry of stored?.[name] ?? []) section(name).add(encode(entry), keyOf(name, entry));
  }
  return {
    plan(addition) {
      if (addition.section === "skipReason") {
        return write(assemble(addition.entry), () => (skipReason = addition.entry));
      }
      const target = section(addition.section);
      const key = keyOf(addition.section, addition.entry);
      if (key !== null && target.keys.has(key)) return { kind: "duplicate" };
      const cap = addition.section === "problems" ? caps.problems : caps.otherEntries;
      if (target.count >= cap)
        return { kind: "full", reason: `The cap is ${cap} ${sectionNames[addition.section]} a pass.` };
      const piece = encode(addition.entry);
      const pieces = assemble(skipReason, { section: addition.section, piece });
      return write(pieces, () => target.add(piece, key));
    },
    pieces: () => assemble(skipReason),
    count: (name) => section(name).count,
  };

  function write(pieces: readonly Uint8Array[], apply: () => void): Plan {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes <= caps.stateBytes) return { kind: "write", pieces, apply };
    return { kind: "full", reason: `All reports of a pass together may have ${showBytes(caps.stateBytes)}.` };
  }

  function section(name: ListSection): Section {
    const found = sections.get(name);
    if (found === undefined) throw new Error(`The state has no section ${name}.`);
    return found;
  }

  function assemble(
    skip: unknown,
    extra?: { readonly section: ListSection; readonly piece: Uint8Array },
  ): Uint8Array[] {
    const pieces: Uint8Array[] = [text(`{"schemaVersion":${stateVersion},"runId":${JSON.stringify(runId)}`)];
    for (const [name, { count, log }] of sections) {
      pieces.push(text(`,\n"${name}":[`), log.bytes());
      if (extra?.section === name) {
        if (count > 0) pieces.push(separator);
        pieces.push(extra.piece);
      }
      pieces.push(text("]"));
    }
    pieces.push(text(`${skip === undefined ? "" : `,\n"skipReason":${JSON.stringify(skip)}`}}\n`));
    return pieces;
  }
}

interface Section {
  readonly log: ReturnType<typeof createByteLog>;
  readonly keys: Set<string>;
  count: number;
  add(piece: Uint8Array, key: string | null): void;
}

const separator = text(",\n");

function createSection(): Section {
  const section: Section = {
    log: createByteLog(),
    keys: new Set(),
    count: 0,
    add(piece, key) {
      if (section.count > 0) section.log.append(separator);
      section.log.append(piece);
      section.count++;
      if (key !== null) section.keys.add(key);
    },
  };
  return section;
}

/** Equal keys are the same thing reported twice. Every summary is its own: several make one report, in order. */
function keyOf(section: ListSection, entry: unknown): string | null {
  if (section === "summaries" || typeof entry !== "object" || entry === null) return null;
  const field = (name: string): unknown => Reflect.get(entry, name);
  if (section === "problems") {
    const own = field("fingerprint");
    const identity = own === undefined ? [field("line"), field("end_line"), field("category")] : [own];
    return JSON.stringify([field("file"), ...identity, normalise(String(field("message")))]);
  }
  return JSON.stringify([field("path"), field("range"), field("outcome")]);
}

/** Wording that differs in case, width or spacing alone is the same message. */
function normalise(message: string): string {
  return message.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

function encode(entry: unknown): Uint8Array {
  return text(JSON.stringify(entry));
}

function text(value: string): Uint8Array {
  return Buffer.from(value);
}
