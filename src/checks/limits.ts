// How long an engine may take and how much it may say (CONTRACT §D), and what one check may be asked.

export const engineNames = ["oxlint", "tsc", "biome"] as const;
export type EngineName = (typeof engineNames)[number];

export interface EngineLimits {
  /** Wall-clock limit of one engine in one check, ms. */
  readonly deadlineMs: Readonly<Record<EngineName, number>>;
  /** Most bytes of stdout of one engine run. */
  readonly maxOutputBytes: number;
}

export const engineLimits: EngineLimits = {
  deadlineMs: { oxlint: 30_000, tsc: 120_000, biome: 30_000 },
  maxOutputBytes: 10 * 1024 * 1024,
};

/** Most entries of `paths` or `files` in one call. */
export const maxEntries = 512;
/** Most characters (whole grapheme clusters) of a diagnostic's message in an answer. */
export const maxMessageLength = 120;
/** Most clusters in one answer. */
export const maxClusters = 10;
