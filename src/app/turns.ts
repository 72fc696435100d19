// Runs what concerns one thing one after the other, and what concerns different things side by side.

export type InTurn = (key: string, run: () => Promise<void>) => Promise<void>;

export function createTurns(): InTurn {
  const tails = new Map<string, Promise<void>>();
  return async (key, run) => {
    const before = tails.get(key) ?? Promise.resolve();
    const mine = before.then(run);
    // The next one waits for the end of this one, not for its success.
    const tail = mine.catch(() => {});
    tails.set(key, tail);
    try {
      await mine;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}
