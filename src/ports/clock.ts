// Time as a port, so that tests turn it by hand.

export interface Clock {
  /** Wall time, ms since the epoch. */
  now(): number;
  /** A clock that never goes back, in ms; for durations and heartbeats. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels. A pending timer does not keep the process alive. */
  after(ms: number, run: () => void): () => void;
}
