// The JSON depot that the fake p4 serves: submitted, pending and shelved changelists, read strictly.

export interface FakeFile {
  /** Encoded as p4 shows it. */
  readonly path: string;
  readonly rev: string;
  readonly action: string;
  readonly type: string;
  readonly content?: string;
  readonly b64?: string;
  /** For annotate: the change of each line; worked out from the history where it is missing. */
  readonly lines?: readonly string[];
  /** Recorded hunks; not served, since the adapter compares by itself. */
  readonly diff?: string;
  /** Of a `move/add`. */
  readonly from?: string;
  /** Overrides what would be computed. */
  readonly fileSize?: string;
  readonly digest?: string;
  /** Gone from the server's history, as after `obliterate`. */
  readonly obliterated?: boolean;
  /** Readable by others alone. */
  readonly protected?: boolean;
}

export interface FakeChange {
  readonly change: string;
  readonly user: string;
  readonly client: string;
  readonly time: number;
  readonly desc: string;
  readonly status: "submitted" | "pending";
  readonly changeType?: "public" | "restricted";
  readonly path?: string;
  readonly oldChange?: string;
  /** Of a pending changelist these are shelved. */
  readonly files: readonly FakeFile[];
}

export interface FakeServer {
  readonly password?: string;
  /** How many commands each ticket lives for, the first one first; those not mentioned never expire. */
  readonly ticketCalls?: readonly number[];
  readonly unicode?: boolean;
  readonly caseHandling?: "sensitive" | "insensitive";
  /** Makes the server one that speaks SSL with this key. */
  readonly fingerprint?: string;
  /** Refused with exit code 1; `silent` exits 0 with a word on stderr; `mute` exits 0 without any. */
  readonly outage?: "refused" | "silent" | "mute";
  /** The outage begins after so many commands. */
  readonly outageAfter?: number;
  readonly tooLarge?: boolean;
  /** Answers `maxCommitChange`; default: the highest submitted one. */
  readonly maxCommitChange?: number;
  /** Never answers. */
  readonly hangs?: boolean;
}

export interface FakeDepot {
  readonly server?: FakeServer;
  readonly changes: readonly FakeChange[];
}

const FILE_FIELDS = "path rev action type content b64 lines diff from fileSize digest obliterated protected".split(" ");
const CHANGE_FIELDS = "change user client time desc status changeType path oldChange files".split(" ");
const SERVER_FIELDS =
  "password ticketCalls unicode caseHandling fingerprint outage outageAfter tooLarge maxCommitChange hangs".split(" ");

/** Throws an Error for fields that it does not know: a depot that says more than is served would prove nothing. */
export function readDepot(text: string): FakeDepot {
  const depot = JSON.parse(text) as FakeDepot;
  only(depot, ["server", "changes"]);
  only(depot.server ?? {}, SERVER_FIELDS);
  for (const change of depot.changes) {
    only(change, CHANGE_FIELDS);
    for (const file of change.files) only(file, FILE_FIELDS);
  }
  return depot;
}

function only(value: object, fields: readonly string[]): void {
  for (const key of Object.keys(value)) if (!fields.includes(key)) throw new Error(`unknown field ${key}`);
}

export interface Revision {
  readonly file: FakeFile;
  readonly change: FakeChange;
}

/** All submitted revisions of each depot file, oldest first. */
export function histories(depot: FakeDepot): ReadonlyMap<string, readonly Revision[]> {
  const all = new Map<string, Revision[]>();
  const submitted = depot.changes.filter(({ status }) => status === "submitted");
  for (const change of submitted.sort((a, b) => Number(a.change) - Number(b.change))) {
    for (const file of change.files) {
      if (file.obliterated) continue;
      all.set(file.path, [...(all.get(file.path) ?? []), { file, change }]);
    }
  }
  return all;
}

export function isDeleted({ action }: FakeFile): boolean {
  return /^(?:delete|move\/delete|purge|archive)$/.test(action);
}

/** As stored on the server: UTF-16 files are stored as UTF-8. */
export function stored(file: FakeFile): Buffer {
  return file.b64 === undefined ? Buffer.from(file.content ?? "") : Buffer.from(file.b64, "base64");
}

/** As a client gets it. */
export function printed(file: FakeFile): Buffer {
  if (!file.type.startsWith("utf16") || file.b64 !== undefined) return stored(file);
  return Buffer.from(`\ufeff${file.content ?? ""}`, "utf16le");
}
