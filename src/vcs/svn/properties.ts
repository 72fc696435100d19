// Reads the properties that decide what a file is (executable, symlink, binary) and how svn prints it.
import type { Budget } from "../git/run-git.ts";
import type { Svn } from "./run-svn.ts";
import { decode, inBatches, target } from "./source.ts";
import { eachElement } from "./xml.ts";

export interface FileFacts {
  /** As git writes modes: `100644`, `100755`, `120000`. */
  readonly mode: string;
  /** By svn:mime-type; svn's own rule. */
  readonly isBinary: boolean;
  /** `svn cat` may print more bytes than the repository has: every line feed becomes two characters. */
  readonly growsWhenRead: boolean;
}

export const PLAIN: FileFacts = { mode: "100644", isBinary: false, growsWhenRead: false };
export const SYMLINK = "120000";

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
  for (const batch of inBatches(paths)) {
    const targets = batch.map((path) => target(url, path, revision));
    const xml = await svn.output("proplist", ["--xml", "-v"], targets, { budget });
    eachElement(xml, "target", svn.subject, ({ attributes, children }) => {
      const properties = new Map(children.map((child) => [child.attributes["name"], child.text]));
      const mime = properties.get("svn:mime-type");
      const mode = properties.has("svn:special") ? SYMLINK : properties.has("svn:executable") ? "100755" : "100644";
      facts.set(decode(attributes["path"] ?? "").slice(prefix), {
        mode,
        isBinary: mime !== undefined && !isText(mime),
        growsWhenRead: properties.get("svn:eol-style")?.trim() === "CRLF",
      });
    });
  }
  return facts;
}

/** svn_mime_type_is_binary: text, and two images that are written as C. */
function isText(mime: string): boolean {
  return /^(text\/|image\/x-xbitmap|image\/x-xpixmap)/.test(mime.trim());
}
