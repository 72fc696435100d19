// Reads the properties that decide what a file is: executable, symlink, binary.
import type { Budget } from "../git/run-git.ts";
import type { Svn } from "./run-svn.ts";
import { decode, target } from "./source.ts";
import { eachElement } from "./xml.ts";

export interface FileFacts {
  /** As git writes modes: `100644`, `100755`, `120000`. */
  readonly mode: string;
  /** By svn:mime-type; svn's own rule. */
  readonly isBinary: boolean;
}

export const PLAIN: FileFacts = { mode: "100644", isBinary: false };
export const SYMLINK = "120000";

/** Targets of one process: arguments have a limit, and one round for each file would be slow. */
const BATCH_BYTES = 64 << 10;

/** @param paths below the URL, which exist at the revision. @returns the facts by path; plain text files may be absent. */
export async function readFacts(
  svn: Svn,
  url: string,
  paths: readonly string[],
  revision: number,
  budget: Budget,
): Promise<ReadonlyMap<string, FileFacts>> {
  const facts = new Map<string, FileFacts>();
  const prefix = decode(url).length + 1;
  for (const batch of batches(paths.map((path) => target(url, path, revision)))) {
    const xml = await svn.output("proplist", ["--xml", "-v"], batch, { budget });
    eachElement(xml, "target", svn.subject, ({ attributes, children }) => {
      const properties = new Map(children.map((child) => [child.attributes["name"], child.text]));
      const mime = properties.get("svn:mime-type");
      const mode = properties.has("svn:special") ? SYMLINK : properties.has("svn:executable") ? "100755" : "100644";
      facts.set(decode(attributes["path"] ?? "").slice(prefix), {
        mode,
        isBinary: mime !== undefined && !isText(mime),
      });
    });
  }
  return facts;
}

/** svn_mime_type_is_binary: text, and two images that are written as C. */
function isText(mime: string): boolean {
  return /^(text\/|image\/x-xbitmap|image\/x-xpixmap)/.test(mime.trim());
}

function* batches(targets: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const one of targets) {
    if (bytes > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(one);
    bytes += one.length;
  }
  if (batch.length > 0) yield batch;
}
