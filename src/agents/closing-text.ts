// The end of what a program without a stream of its own prints: read only as a possible skip, never as a report.

/** Sentences that mean "nothing to report" are short. */
const MAX_BYTES = 16 * 1024;

export function closingText(stdout: Buffer): string {
  return stdout.subarray(-MAX_BYTES).toString("utf8").trim();
}
