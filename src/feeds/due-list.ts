// Keeps things by the time they are due, so that asking what is due costs nothing for all that is not: a binary heap.

export interface DueList<T> {
  /** @param at when it is due, in the unit of the caller's clock. */
  add(item: T, at: number): void;
  /** Takes out the one that is due first, if it is due by `now`. */
  takeDue(now: number): T | null;
  readonly size: number;
}

interface Entry<T> {
  readonly at: number;
  /** Keeps the order of those that are due at the same time. */
  readonly order: number;
  readonly item: T;
}

export function createDueList<T>(): DueList<T> {
  const heap: Entry<T>[] = [];
  let added = 0;

  function isBefore(a: number, b: number): boolean {
    const [x, y] = [heap[a], heap[b]];
    if (x === undefined || y === undefined) return false;
    return x.at < y.at || (x.at === y.at && x.order < y.order);
  }

  function swap(a: number, b: number): void {
    const [x, y] = [heap[a], heap[b]];
    if (x === undefined || y === undefined) return;
    heap[a] = y;
    heap[b] = x;
  }

  function rise(index: number): void {
    let at = index;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const least = isBefore(left + 1, left) ? left + 1 : left;
      if (!isBefore(least, at)) return;
      swap(least, at);
      at = least;
    }
  }

  return {
    add(item, at) {
      heap.push({ at, order: added++, item });
      rise(heap.length - 1);
    },
    takeDue(now) {
      const first = heap[0];
      if (first === undefined || first.at > now) return null;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) {
        heap[0] = last;
        sink();
      }
      return first.item;
    },
    get size() {
      return heap.length;
    },
  };
}
