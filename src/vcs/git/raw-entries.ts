// Reads the records of `diff-tree --raw --numstat -z`: the one place where paths of a change come from.

export interface RawEntry {
  /** `A`, `M`, `D`, `R`, `C`, `T`. */
  readonly status: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
  /** Bytes as latin1. Equal but for renames and copies. */
  readonly oldPath: string;
  readonly newPath: string;
}

interface RawListing {
  readonly entries: readonly RawEntry[];
  /** Offset of what follows the raw records. */
  readonly end: number;
  /** There were more records than were kept, or the output ended within one. */
  readonly cut: boolean;
}

/** Reads raw records from the start, as many as are whole; keeps at most `limit` of them, but reads on to their end. */
export function readRawEntries(output: Buffer, limit = Number.POSITIVE_INFINITY): RawListing {
  const entries: RawEntry[] = [];
  let at = 0;
  let count = 0;
  while (output[at] === 0x3a) {
    const meta = field(output, at + 1);
    const old = meta && field(output, meta.next);
    if (!meta || !old) return { entries, end: at, cut: true };
    const [oldMode = "", newMode = "", oldId = "", newId = "", score = ""] = meta.text.split(" ");
    const status = score.charAt(0);
    const renamed = status === "R" || status === "C";
    const latter = renamed ? field(output, old.next) : old;
    if (!latter) return { entries, end: at, cut: true };
    if (++count <= limit)
      entries.push({ status, oldMode, newMode, oldId, newId, oldPath: old.text, newPath: latter.text });
    at = latter.next;
  }
  return { entries, end: at, cut: count > limit };
}

/** New-side paths that numstat calls binary. */
export function readBinaryPaths(output: Buffer, from: number): ReadonlySet<string> {
  const binary = new Set<string>();
  for (let at = from; at < output.length; ) {
    const record = field(output, at);
    if (!record) break;
    at = record.next;
    const match = /^(-|\d+)\t(?:-|\d+)\t/.exec(record.text);
    if (!match) break;
    let path = record.text.slice(match[0].length);
    if (path === "") {
      const old = field(output, at);
      const latter = old && field(output, old.next);
      if (!latter) break;
      path = latter.text;
      at = latter.next;
    }
    if (match[1] === "-") binary.add(path);
  }
  return binary;
}

function field(bytes: Buffer, from: number): { readonly text: string; readonly next: number } | null {
  const end = bytes.indexOf(0, from);
  return end < 0 ? null : { text: bytes.toString("latin1", from, end), next: end + 1 };
}

/** A path's bytes for people: UTF-8, what is invalid replaced. */
export function displayPath(raw: string): string {
  return Buffer.from(raw, "latin1").toString("utf8");
}
