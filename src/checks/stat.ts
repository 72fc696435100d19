// A look at a path that may not be there.
import { type Stats, statSync } from "node:fs";

/** Undefined where there is nothing, or nothing that can be looked at (a file in a directory's place, a link in a circle). */
export function statIfAny(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
