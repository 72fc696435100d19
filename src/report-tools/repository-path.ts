// Reads an agent's spelling of a path as a repository-relative POSIX path, or says what is wrong with it.
import { caps } from "./limits.ts";

export type FoldedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/**
 * Folds `\`, `./`, `//` and a trailing `/`. Refuses what is absolute, leaves the repository, or cannot be a path.
 * The reason is a sentence's end that reads well after the field's name.
 */
export function foldRepositoryPath(given: string): FoldedPath {
  if (/[\u0000-\u001f\u007f]/.test(given)) return refuse("must not contain NUL or control characters");
  // Lone surrogates cannot be written as UTF-8: no file has such a name.
  if (/\p{Surrogate}/u.test(given)) return refuse("must be valid Unicode");
  const posix = given.replaceAll("\\", "/");
  if (posix.startsWith("/")) return refuse("must be relative to the repository, not absolute");
  const parts = posix.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return refuse("must not contain `..`");
  const path = parts.join("/");
  if (given.trim() === "" || (path !== "" && path.trim() === "")) return refuse("must not be blank");
  if (path === "") return refuse("must name a file, not the repository itself");
  if (/^[a-z]:/i.test(path)) return refuse("must be relative to the repository, without a drive letter");
  const bytes = Buffer.byteLength(path);
  if (bytes > caps.pathBytes) return refuse(`has ${bytes} bytes; the cap is ${caps.pathBytes} bytes`);
  return { ok: true, path };
}

function refuse(reason: string): FoldedPath {
  return { ok: false, reason };
}
