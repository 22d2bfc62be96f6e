// The shared memory by which the caller of a WASM kernel and the workers that help it speak.

/** Index of a 32-bit word, by what the word holds. */
export const words = {
  /** Counts all news; workers sleep on it. */
  news: 0,
  /** Number of threads that may work at the loop that is open; 0: no loop is open. */
  open: 1,
  kernel: 2,
  part: 3,
  iterations: 4,
  /** The next iteration that no thread has taken. */
  next: 5,
  /** Number of workers that may be at work. */
  inside: 6,
  /** 1: a worker failed in the open loop. */
  failed: 7,
  /** First of 256 counts: messages that each thread was sent. */
  sent: 8,
  /** First of 256 counts: messages that each thread took. */
  taken: 8 + 256,
  count: 8 + 2 * 256,
} as const;

/** Looks for news before a thread sleeps, some 100 µs of a Zen 4: being woken takes as long as a small kernel. */
export const looks = 8_000;

/** One part of a kernel's loops: runs an iteration on a thread's slot. */
export type Part = (iteration: number, slot: number) => void;

/** `part0`, `part1`, … of a module's exports. */
export function partsOf(exports: WebAssembly.Exports): readonly Part[] {
  const parts: Part[] = [];
  while (exports[`part${parts.length}`]) parts.push(exports[`part${parts.length}`] as Part);
  return parts;
}
