// Reads files at a revision, whole and as the repository has them; revisions never change, so what was read is kept a while.
import type { Budget } from "../git/run-git.ts";
import { readFacts } from "./properties.ts";
import type { Svn } from "./run-svn.ts";
import { inBatches, target } from "./source.ts";
import { eachElement } from "./xml.ts";

export type Content =
  | { readonly outcome: "read"; readonly bytes: Buffer }
  /** Larger than asked for; the beginning of it. */
  | { readonly outcome: "too_large"; readonly beginning: Buffer }
  | { readonly outcome: "missing" | "directory" | "no_revision" };

export interface Contents {
  /** @param path below the configured URL, as text. */
  read(path: string, revision: number, maxBytes: number, budget: Budget): Promise<Content>;
  /**
   * Reads the files of a change ahead, many in one process: starting svn costs more than its answer. What cannot be read so
   * (a missing path, a large file, more than fits) is left to `read`.
   */
  readAhead(paths: readonly string[], revision: number, maxFileBytes: number, budget: Budget): Promise<void>;
  /** For a repository that is no longer the one that was read. */
  forget(): void;
}

/** The listing, the diff and both sides of the run directory ask for the same files within seconds. */
const MAX_KEPT_BYTES = 64 << 20;
/** Read ahead for one side of a change: both sides together must fit into what is kept. */
const MAX_AHEAD_BYTES = MAX_KEPT_BYTES / 2;

export function createContents(svn: Svn, url: string): Contents {
  const kept = new Map<string, Buffer>();
  let size = 0;

  function keep(key: string, bytes: Buffer): void {
    if (bytes.length > MAX_KEPT_BYTES / 4 || kept.has(key)) return;
    kept.set(key, bytes);
    size += bytes.length;
    for (const [oldest, content] of kept) {
      if (size <= MAX_KEPT_BYTES) break;
      kept.delete(oldest);
      size -= content.length;
    }
  }

  async function read(path: string, revision: number, maxBytes: number, budget: Budget): Promise<Content> {
    const key = `${revision} ${path}`;
    const known = kept.get(key);
    if (known !== undefined) {
      return known.length <= maxBytes
        ? { outcome: "read", bytes: known }
        : { outcome: "too_large", beginning: known.subarray(0, maxBytes) };
    }
    // Expanded keywords would differ at every revision and between a file and its copy.
    const result = await svn.attempt("cat", ["--ignore-keywords"], [target(url, path, revision)], { budget, maxBytes });
    switch (result.outcome) {
      case "ok":
        keep(key, result.stdout);
        return { outcome: "read", bytes: result.stdout };
      case "cut":
        return { outcome: "too_large", beginning: result.stdout };
      case "no_path":
        return { outcome: "missing" };
      default:
        return { outcome: result.outcome };
    }
  }

  /** Several contents come without a border between them: only sizes that add up tell where each ends. */
  async function readTogether(batch: readonly string[], revision: number, run: Ahead): Promise<void> {
    const targets = batch.map((path) => target(url, path, revision));
    const info = await svn.attempt("info", ["--xml"], targets, { budget: run.budget });
    if (info.outcome !== "ok") return;
    const sizes: number[] = [];
    eachElement(info.stdout, "entry", svn.subject, ({ attributes }) => sizes.push(Number(attributes["size"])));
    if (sizes.length !== batch.length) return;
    const facts = await readFacts(svn, url, batch, revision, run.budget);
    const chosen = batch.flatMap((path, index) => {
      const size = sizes[index] as number;
      // Without those that grow, contents can only come out shorter, and no two errors make a right sum.
      if (facts.get(path)?.growsWhenRead) return [];
      // NaN, that is a folder, is never smaller.
      if (!(size <= run.maxFileBytes && size <= run.left)) return [];
      run.left -= size;
      return [{ path, size, target: targets[index] as string }];
    });
    await readChosen(chosen, revision, run.budget);
  }

  /** Sizes do not add up where svn translates line ends; such a file is found by halving, and left to `read`. */
  async function readChosen(chosen: readonly Chosen[], revision: number, budget: Budget): Promise<void> {
    if (chosen.length < 2) return;
    const total = chosen.reduce((sum, { size }) => sum + size, 0);
    const targets = chosen.map((one) => one.target);
    // One byte more shows that there is more.
    const result = await svn.attempt("cat", ["--ignore-keywords"], targets, { budget, maxBytes: total + 1 });
    if (result.outcome !== "ok" || result.stdout.length !== total) {
      const middle = chosen.length >> 1;
      await readChosen(chosen.slice(0, middle), revision, budget);
      return readChosen(chosen.slice(middle), revision, budget);
    }
    let at = 0;
    for (const { path, size } of chosen) {
      // A copy: a small slice must not hold on to the whole batch.
      keep(`${revision} ${path}`, Buffer.from(result.stdout.subarray(at, at + size)));
      at += size;
    }
  }

  return {
    read,
    async readAhead(paths, revision, maxFileBytes, budget) {
      const run: Ahead = { budget, maxFileBytes, left: MAX_AHEAD_BYTES };
      const unknown = paths.filter((path) => !kept.has(`${revision} ${path}`));
      // For one file alone, asking for its size first would cost more than it saves.
      if (unknown.length < 2) return;
      for (const batch of inBatches(unknown)) if (run.left > 0) await readTogether(batch, revision, run);
    },
    forget() {
      kept.clear();
      size = 0;
    },
  };
}

interface Chosen {
  readonly path: string;
  readonly size: number;
  readonly target: string;
}

interface Ahead {
  readonly budget: Budget;
  readonly maxFileBytes: number;
  /** Bytes that may still be read ahead. */
  left: number;
}

const LINK = Buffer.from("link ");

/** A symlink's content is `link <target>`; what is reviewed and written is the target, as with git. */
export function withoutLinkPrefix(bytes: Buffer, mode: string | undefined): Buffer {
  return mode === "120000" && bytes.subarray(0, LINK.length).equals(LINK) ? bytes.subarray(LINK.length) : bytes;
}
