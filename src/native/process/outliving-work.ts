// Work that goes on when the build that began it is stopped, as another build of this process may want its result. Where the process itself
// is to end by a signal, nobody does, and what it started would stay behind: it is stopped too.

const stops = new Set<() => Promise<unknown>>();

/** Until the returned function is called, `stop` is called where this process ends by a signal. It resolves when all is cleaned up. */
export function onLastSignal(stop: () => Promise<unknown>): () => void {
  stops.add(stop);
  return () => void stops.delete(stop);
}

let stopped: Promise<unknown> = Promise.resolve();

/** Stops all such work; resolves when it has cleaned up. */
export function stopOutlivingWork(): Promise<unknown> {
  stopped = Promise.allSettled([...stops].map((stop) => stop()));
  return stopped;
}

/** Resolves when what was being stopped has cleaned up: at once where nothing was. */
export const outlivingWorkStopped = (): Promise<unknown> => stopped;
