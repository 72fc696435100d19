// Asks a server for several things at once, but never for all.

/** Requests to the server at the same time. */
const WIDTH = 4;

/** Maps in order; after the first failure nothing new is begun. */
export async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for await (const result of eachSome(items, map)) results.push(result);
  return results;
}

/** The results in order, as they are taken: what runs ahead of the taker is bounded. */
export async function* eachSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): AsyncGenerator<R> {
  const ahead: Promise<R>[] = [];
  for (const item of items) {
    const started = map(item);
    // Waited for in its turn; until then its failure is nobody's surprise.
    started.catch(() => undefined);
    ahead.push(started);
    if (ahead.length >= WIDTH) yield await (ahead.shift() as Promise<R>);
  }
  for (const waiting of ahead) yield await waiting;
}
