// Paths between Perforce's encoding (`%40 %23 %2A %25`) and the repository's own, and never outside of the depot path.
import { badPath, type Subject } from "../git/faults.ts";
import { readPath } from "../git/repository-path.ts";

const CODES: Readonly<Record<string, string>> = { "@": "%40", "#": "%23", "*": "%2A", "%": "%25" };
const CHARACTERS: Readonly<Record<string, string>> = { "%40": "@", "%23": "#", "%2A": "*", "%25": "%" };

/** A file name as p4 takes it: none of its characters is a wildcard or begins a revision. */
export function encodePath(path: string): string {
  return path.replace(/[@#*%]/g, (character) => CODES[character] ?? character);
}

export function decodePath(path: string): string {
  return path.replace(/%(?:40|23|2A|25)/gi, (code) => CHARACTERS[code.toUpperCase()] ?? code);
}

/** The configured part of the depot. */
export interface DepotRoot {
  /** `//depot/game/...` */
  readonly all: string;
  /** The repository-relative path of a depot file, decoded; null outside. */
  relative(depotFile: string): string | null;
  /** The depot file of a repository-relative path, encoded. */
  depotFile(path: string): string;
}

/**
 * @param depotPath checked: `//…/...`.
 * @param foldsCase whether the server takes `A` and `a` for one; such a server gives each file in the case it was added in.
 */
export function createDepotRoot(depotPath: string, foldsCase: boolean): DepotRoot {
  const fold = (text: string): string => (foldsCase ? text.toLowerCase() : text);
  const root = depotPath.slice(0, -"...".length);
  // The same characters may be written in two ways (`%2a`, `%2A`); the decoded form is one.
  const decoded = decodePath(root);
  return {
    all: depotPath,
    relative(depotFile) {
      const path = decodePath(depotFile);
      if (path.length <= decoded.length) return null;
      return fold(path.slice(0, decoded.length)) === fold(decoded) ? path.slice(decoded.length) : null;
    },
    depotFile: (path) => root + encodePath(path),
  };
}

/** Reads a path that an agent asked for, relative or as a depot path inside the root. Throws AppError `bad_request`. */
export function readDepotPath(path: string, root: DepotRoot, subject: Subject): string {
  // Agents may repeat a depot path that they read somewhere.
  const inside = path.startsWith("//") ? root.relative(path) : null;
  const read = readPath(inside ?? path, subject);
  if (read.split("/").some((part) => part.includes("..."))) throw badPath(subject, path, "it is a wildcard");
  return read;
}

/** A name that was not found and that p4 would have read as a wildcard or a revision. */
export function looksLikeSyntax(path: string): boolean {
  return /[*@#]/.test(path);
}

export function rawPath(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1");
}

/** Back from `rawPath`; null where the bytes are no UTF-8, or the name was damaged on its way to us. */
export function pathOf(raw: string): string | null {
  const path = Buffer.from(raw, "latin1").toString("utf8");
  return rawPath(path) === raw && !path.includes("\u{fffd}") ? path : null;
}
