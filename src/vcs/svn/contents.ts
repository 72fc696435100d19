// Reads files at a revision, whole and as the repository has them; revisions never change, so what was read is kept a while.
import type { Budget } from "../git/run-git.ts";
import type { Svn } from "./run-svn.ts";
import { target } from "./source.ts";

export type Content =
  | { readonly outcome: "read"; readonly bytes: Buffer }
  /** Larger than asked for; the beginning of it. */
  | { readonly outcome: "too_large"; readonly beginning: Buffer }
  | { readonly outcome: "missing" | "directory" | "no_revision" };

export interface Contents {
  /** @param path below the configured URL, as text. */
  read(path: string, revision: number, maxBytes: number, budget: Budget): Promise<Content>;
  /** For a repository that is no longer the one that was read. */
  forget(): void;
}

/** The listing, the diff and both sides of the run directory ask for the same files within seconds. */
const MAX_KEPT_BYTES = 64 << 20;

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

  return {
    read,
    forget() {
      kept.clear();
      size = 0;
    },
  };
}

const LINK = Buffer.from("link ");

/** A symlink's content is `link <target>`; what is reviewed and written is the target, as with git. */
export function withoutLinkPrefix(bytes: Buffer, mode: string | undefined): Buffer {
  return mode === "120000" && bytes.subarray(0, LINK.length).equals(LINK) ? bytes.subarray(LINK.length) : bytes;
}
