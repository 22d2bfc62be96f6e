// The role of a worker that helps with the loops of WASM kernels. While there are messages for it, it lets them come; else it
// sleeps on `news`. A loop that it finds open may be over at once and another one open: which one to work on is known only
// while the caller waits for this worker.

import { looks, type Part, partsOf, words } from "./thread-words.ts";

/** Message to a thread: its shared memory, a kernel to learn, or one to forget. */
export type ThreadMessage =
  | { readonly words: Int32Array; readonly slot: number }
  | { readonly id: number; readonly module: WebAssembly.Module; readonly memory: WebAssembly.Memory }
  | { readonly id: number };

/** Returns the receiver of a thread's messages; the thread sleeps between them. */
export function threadRole(): (message: ThreadMessage) => void {
  const kernels = new Map<number, readonly Part[]>();
  let shared!: Int32Array;
  let slot = 0;
  let taken = 0;
  let forgotten = 0;

  // A worker that has no room for a kernel does not help with it.
  function learn(id: number, module: WebAssembly.Module, memory: WebAssembly.Memory): void {
    try {
      const { exports } = new WebAssembly.Instance(module, { kernel: { memory, share() {} } });
      kernels.set(id, partsOf(exports));
    } catch {}
  }
  // An engine that can be asked to collects the kernel's objects: of thousands of kernels that are tried, few stay.
  function forget(id: number): void {
    kernels.delete(id);
    forgotten += 1;
    if (forgotten % 32 === 0) (globalThis as { gc?(): void }).gc?.();
  }
  function take(message: ThreadMessage): void {
    if ("words" in message) {
      shared = message.words;
      slot = message.slot;
    } else if ("module" in message) learn(message.id, message.module, message.memory);
    else forget(message.id);
    taken += 1;
    Atomics.store(shared, words.taken + slot, taken);
  }
  // A worker that takes an iteration has to run it.
  function runIterations(): void {
    const run = kernels.get(shared[words.kernel]!)?.[shared[words.part]!];
    const iterations = shared[words.iterations]!;
    if (!run) return;
    for (;;) {
      const at = Atomics.add(shared, words.next, 1);
      if (at >= iterations) return;
      run(at, slot);
    }
  }
  function help(): void {
    Atomics.add(shared, words.inside, 1);
    if (slot < Atomics.load(shared, words.open)) {
      try {
        runIterations();
      } catch {
        Atomics.store(shared, words.failed, 1);
      }
    }
    Atomics.sub(shared, words.inside, 1);
    Atomics.notify(shared, words.inside);
  }
  function rest(news: number): void {
    for (let look = 0; look < looks; look++) if (Atomics.load(shared, words.news) !== news) return;
    Atomics.wait(shared, words.news, news);
  }
  return (message) => {
    take(message);
    while (Atomics.load(shared, words.sent + slot) === taken) {
      const news = Atomics.load(shared, words.news);
      help();
      rest(news);
    }
  };
}
