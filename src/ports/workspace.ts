// The run directory of an attempt (CONTRACT §A), and the socket on which its agent's requests are answered.
import type { ReviewId, RunId } from "../core/ids.ts";
import type { RunPaths } from "./agent.ts";
import type { FetchedContext } from "./vcs.ts";

export interface Workspace {
  /** Makes `<data>/runs/<reviewId>-<attempt>/` with its folders, empty. Throws AppError when it cannot. */
  create(review: ReviewId, attempt: number): Promise<RunPaths>;
  /** Makes a pass the current one in change.json, and removes what an earlier pass left in the state file. */
  preparePass(paths: RunPaths, run: RunId): Promise<void>;
  /** Writes a fetched file into `source/` for later reads; refuses to leave it or to replace a changed file. */
  keepFetched(paths: RunPaths, context: FetchedContext): Promise<void>;
}
