// Randomness as a port.

export interface Ids {
  /** A fresh id `<prefix>_<random>`, sortable by time of making, letters and digits only. */
  next<P extends string>(prefix: P): `${P}_${string}`;
  /** An unguessable token of 128 bits, letters and digits only. */
  token(): string;
}
