// Globs for paths, branches and authors, matched in linear time without regular expressions from outside.

/**
 * Whether a glob matches the whole text. `*` stays within a `/` segment, `**` crosses segments (and `a/**` matches what is
 * below `a`), `?` is one character; everything else, brackets included, is literal. Case matters.
 */
export function matchesGlob(glob: string, text: string): boolean {
  return matchSegments(glob.split("/"), text.split("/"));
}

/** True when a list of inclusions is empty or one matches, and no exclusion matches. */
export function passesGlobs(text: string, included: readonly string[], excluded: readonly string[]): boolean {
  if (excluded.some((glob) => matchesGlob(glob, text))) return false;
  return included.length === 0 || included.some((glob) => matchesGlob(glob, text));
}

/** Greedy matching with one point of return for the last `**`: O(segments of glob × segments of text). */
function matchSegments(globs: readonly string[], texts: readonly string[]): boolean {
  let g = 0;
  let t = 0;
  let starGlob = -1;
  let starText = -1;
  while (t < texts.length) {
    const glob = globs[g];
    if (glob === "**") {
      starGlob = g++;
      starText = t;
    } else if (glob !== undefined && matchSegment(glob, texts[t] ?? "")) {
      g++;
      t++;
    } else if (starGlob !== -1) {
      g = starGlob + 1;
      t = ++starText;
    } else return false;
  }
  while (globs[g] === "**") g++;
  return g === globs.length;
}

function matchSegment(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let starGlob = -1;
  let starText = -1;
  while (t < text.length) {
    if (glob[g] === "*") {
      starGlob = g++;
      starText = t;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) {
      g++;
      t++;
    } else if (starGlob !== -1) {
      g = starGlob + 1;
      t = ++starText;
    } else return false;
  }
  while (glob[g] === "*") g++;
  return g === glob.length;
}
