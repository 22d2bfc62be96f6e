// Work that waits only where it has to: with values that are there it runs to its end at once, as plain code does, so that nothing comes
// between a kernel and the clock; a promise on its way makes the rest asynchronous.

/** Work that yields the promises that it waits for. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits for a value if it is a promise: `const loaded = yield* awaited(loader.load(candidate))`. */
export function* awaited<T>(value: T | Promise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Does the work. Returns its result, or a promise of it if the work had to wait. */
export function settle<T>(steps: Steps<T>): T | Promise<T> {
  const step = steps.next();
  return step.done ? step.value : settleLater(steps, step.value);
}

async function settleLater<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  for (let waiting = first; ; ) {
    const step = await waiting.then(
      (value) => steps.next(value),
      (error) => steps.throw(error),
    );
    if (step.done) return step.value;
    waiting = step.value;
  }
}
