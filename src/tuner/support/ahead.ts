// Work on items in turn, begun ahead of its turn.

/**
 * Yields what `work` makes of each item, in their order. When a result is asked for, the work on up to `most` items has begun; an item is
 * taken no sooner than that. A consumer that stops early leaves the begun work behind; its failures are reported when their turn comes.
 */
export async function* ahead<T, R>(
  items: Iterable<T>,
  most: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, undefined> {
  const begun: Promise<R>[] = [];
  const rest = items[Symbol.iterator]();
  let isLast = false;
  for (;;) {
    while (!isLast && begun.length < most) {
      const next = rest.next();
      if (next.done) isLast = true;
      else {
        const result = work(next.value);
        result.catch(() => undefined);
        begun.push(result);
      }
    }
    const first = begun.shift();
    if (!first) return undefined;
    yield await first;
  }
}
