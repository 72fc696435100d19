// Where the configured folder lies: the repository's root and identity, its path below the root, and how far history goes.
import type { Budget } from "../git/run-git.ts";
import { damaged, notAFolder } from "./faults.ts";
import type { Svn } from "./run-svn.ts";
import { decode, type SvnSource, target } from "./source.ts";
import { childOf, eachElement, type XmlElement } from "./xml.ts";

export interface Location {
  /** The configured URL. */
  readonly url: string;
  /** URL of the repository's root. */
  readonly root: string;
  readonly uuid: string;
  /** The folder's path below the root: `""` for the root itself, else `/trunk`. */
  readonly path: string;
}

export interface Position extends Location {
  /** The newest revision of the repository. */
  readonly head: number;
  /** The newest revision that changed something below the configured URL. */
  readonly lastChanged: number;
}

/** Asks the server. Throws `config` where the URL names no folder, and the faults of `Svn`. */
export async function readPosition(svn: Svn, source: SvnSource, budget: Budget): Promise<Position> {
  const result = await svn.attempt("info", ["--xml"], [target(source.url, "", "HEAD")], { budget });
  if (result.outcome === "no_path") throw notAFolder(svn.subject, "the folder does not exist at HEAD");
  if (result.outcome !== "ok") throw damaged(svn.subject, `svn info: ${result.outcome}`);
  let entry: XmlElement | null = null;
  eachElement(result.stdout, "entry", svn.subject, (element) => {
    entry = element;
  });
  if (entry === null) throw damaged(svn.subject, "svn info: no entry");
  const { attributes } = entry as XmlElement;
  if (attributes["kind"] !== "dir") throw notAFolder(svn.subject, "the URL names a file");
  const repository = childOf(entry, "repository");
  const root = repository && childOf(repository, "root")?.text;
  const uuid = repository && childOf(repository, "uuid")?.text;
  const relative = childOf(entry, "relative-url")?.text;
  const commit = childOf(entry, "commit")?.attributes["revision"];
  if (!root || !uuid || relative === undefined || commit === undefined) {
    throw damaged(svn.subject, "svn info: an incomplete entry");
  }
  return {
    url: source.url,
    root,
    uuid,
    path: decode(relative.replace(/^\^\/?/, "")).replace(/^(?=.)/, "/"),
    head: Number(attributes["revision"]),
    lastChanged: Number(commit),
  };
}

/** A path from the repository's root as a path below the configured folder; `""` is the folder itself, null is outside. */
export function relativeTo(location: Pick<Location, "path">, path: string): string | null {
  if (path === location.path || (location.path === "" && path === "/")) return "";
  return path.startsWith(`${location.path}/`) ? path.slice(location.path.length + 1) : null;
}

/** Whether the path is a folder above the configured one. */
export function isAbove(location: Pick<Location, "path">, path: string): boolean {
  return path !== location.path && (path === "/" ? location.path !== "" : location.path.startsWith(`${path}/`));
}
