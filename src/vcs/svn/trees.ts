// Answers what lies where at the two ends of a change: kinds of paths, files below folders, sizes.
import { tooLarge } from "../git/faults.ts";
import type { Budget } from "../git/run-git.ts";
import { damaged } from "./faults.ts";
import type { Trees } from "./net-changes.ts";
import type { Svn } from "./run-svn.ts";
import { target } from "./source.ts";
import { childOf, eachElement, type XmlElement } from "./xml.ts";

export function createTrees(svn: Svn, url: string, base: number, head: number, budget: Budget): Trees {
  const kinds = new Map<string, Promise<"file" | "dir" | null>>();
  return {
    kindAtBase(path) {
      const known = kinds.get(path) ?? readEntry(svn, url, path, base, budget).then((entry) => entry?.kind ?? null);
      kinds.set(path, known);
      return known;
    },
    filesAtBase: (folder) => listFiles(svn, url, folder, base, budget),
    filesAtHead: (folder) => listFiles(svn, url, folder, head, budget),
  };
}

interface Entry {
  readonly kind: "file" | "dir";
  readonly size?: number;
}

/** Null where nothing lies there. */
export async function readEntry(
  svn: Svn,
  url: string,
  path: string,
  revision: number,
  budget: Budget,
): Promise<Entry | null> {
  const result = await svn.attempt("info", ["--xml"], [target(url, path, revision)], { budget });
  if (result.outcome === "no_path" || result.outcome === "no_revision") return null;
  if (result.outcome !== "ok") throw damaged(svn.subject, `svn info: ${result.outcome}`);
  const entries: XmlElement[] = [];
  eachElement(result.stdout, "entry", svn.subject, (element) => entries.push(element));
  const attributes = entries[0]?.attributes;
  if (attributes === undefined) return null;
  const size = Number(attributes["size"]);
  return { kind: attributes["kind"] === "dir" ? "dir" : "file", ...(Number.isSafeInteger(size) && { size }) };
}

/** Paths below the URL of all files below a folder; none where there is no such folder. Externals are not followed. */
async function listFiles(
  svn: Svn,
  url: string,
  folder: string,
  revision: number,
  budget: Budget,
): Promise<readonly string[]> {
  const result = await svn.attempt("list", ["--xml", "-R"], [target(url, folder, revision)], { budget });
  if (result.outcome === "no_path") return [];
  if (result.outcome === "cut") throw tooLarge(svn.subject);
  if (result.outcome !== "ok") throw damaged(svn.subject, `svn list: ${result.outcome}`);
  const files: string[] = [];
  eachElement(result.stdout, "entry", svn.subject, (entry) => {
    const name = childOf(entry, "name")?.text;
    if (entry.attributes["kind"] === "file" && name) files.push(folder === "" ? name : `${folder}/${name}`);
  });
  return files;
}
