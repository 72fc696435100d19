// Turns the path patterns that Perforce and Subversion people write into globs relative to the repository.

/**
 * Globs that match what a pattern in depot syntax matches below the repository's depot path: `//depot/game/src/...` with
 * `//depot/game/...` is `src/**`. A pattern without `//` is taken as relative to it. Null for a pattern that lies wholly
 * outside: it would never match anything.
 */
export function globsOfDepot(pattern: string, depotPath: string): readonly string[] | null {
  if (!pattern.startsWith("//")) return globsOfEllipses(pattern);
  const root = depotPath.replace(/\.\.\.$/u, "");
  if (pattern.startsWith(root)) return globsOfEllipses(pattern.slice(root.length));
  // Whatever holds the whole repository matches all of it.
  const cut = pattern.indexOf("...");
  const fixed = cut < 0 ? null : pattern.slice(0, cut);
  if (fixed !== null && root.startsWith(fixed) && pattern.length === cut + 3) return ["**"];
  return null;
}

/** `...` is any text, slashes too; where it is a whole segment that is `**`, else it is `*` with or without folders between. */
function globsOfEllipses(pattern: string): readonly string[] {
  const [first = "", ...rest] = pattern.split("/");
  let globs = segmentGlobs(first);
  for (const segment of rest) {
    const next = segmentGlobs(segment);
    globs = globs.flatMap((glob) => next.map((one) => `${glob}/${one}`));
  }
  return globs;
}

function segmentGlobs(segment: string): readonly string[] {
  if (segment === "...") return ["**"];
  const at = segment.indexOf("...");
  if (at < 0) return [segment];
  const [before, after] = [segment.slice(0, at), segment.slice(at + 3)];
  const tails = segmentGlobs(after);
  if (before === "") return tails.map((tail) => `**/*${tail}`);
  return tails.flatMap((tail) => [`${before}*${tail}`, `${before}*/**/*${tail}`]);
}

/** Subversion's patterns start at the configured URL: `/src/**` and `^/src/**` mean `src/**`. */
export function globOfSvn(pattern: string): string {
  return pattern.replace(/^\^?\/+/u, "");
}
