// Threads of WASM kernels: workers with an instance of each kernel on the memory that its caller's instance has. The text is
// part of emitted modules, and evaluated for our own use (wasm-instance.ts): there is one implementation.
//
// As in threads.c the caller works too and never waits for a worker to come, only for one that is at work: workers that are
// not there (yet) cost nothing but their help.

import { unsharedFlag } from "../../compiler/index.ts";

/** Words of the memory by which a caller and its workers speak, by what is in them. */
const words = {
  /** Counts all news; workers sleep on it. */
  news: 0,
  /** Threads that may work at the loop that is open; 0: none is. */
  open: 1,
  kernel: 2,
  part: 3,
  iterations: 4,
  /** The next iteration that nobody has taken. */
  next: 5,
  /** Workers that may be at work. */
  inside: 6,
  /** Whether one of them failed. */
  failed: 7,
  /** For each thread, messages that it was sent, and those that it took. */
  sent: 8,
  taken: 8 + 256,
  count: 8 + 2 * 256,
} as const;

/** Looks for news before one sleeps, some 100 µs of a Zen 4: being woken takes as long as a small kernel. */
const looks = 8_000;

/** `part0`, `part1`, … of a module's exports. */
const partsText = `((exports) => {
  const parts = [];
  while (exports["part" + parts.length]) parts.push(exports["part" + parts.length]);
  return parts;
})`;

/**
 * What a worker does. While there are messages for it, it lets them come; else it sleeps on `news`. A loop that it finds open
 * may be over at once and another one open: what is to be done is known only while its caller waits for this worker.
 */
export const threadRole = `
const kernels = new Map();
let words, slot, taken = 0;
port.onmessage = ({ data }) => {
  if (data.words) ({ words, slot } = data);
  else if (data.module) learn(data);
  else forget(data.id);
  taken += 1;
  Atomics.store(words, ${words.taken} + slot, taken);
  while (Atomics.load(words, ${words.sent} + slot) === taken) {
    const news = Atomics.load(words, ${words.news});
    help();
    rest(news);
  }
};
// A worker that has no room for a kernel does not help with it.
function learn({ id, module, memory }) {
  try {
    const { exports } = new WebAssembly.Instance(module, { kernel: { memory, share() {} } });
    kernels.set(id, ${partsText}(exports));
  } catch {}
}
function help() {
  Atomics.add(words, ${words.inside}, 1);
  if (slot < Atomics.load(words, ${words.open})) {
    try {
      const run = kernels.get(words[${words.kernel}])?.[words[${words.part}]];
      const iterations = words[${words.iterations}];
      // Whoever takes an iteration has to run it.
      if (run) for (let at; (at = Atomics.add(words, ${words.next}, 1)) < iterations; ) run(at, slot);
    } catch {
      Atomics.store(words, ${words.failed}, 1);
    }
  }
  Atomics.sub(words, ${words.inside}, 1);
  Atomics.notify(words, ${words.inside});
}
function rest(news) {
  for (let look = 0; look < ${looks}; look++) if (Atomics.load(words, ${words.news}) !== news) return;
  Atomics.wait(words, ${words.news}, news);
}
// An engine that can be asked to collects what belonged to it: of thousands of kernels that are tried, few stay.
let forgotten = 0;
function forget(id) {
  kernels.delete(id);
  if (++forgotten % 32 === 0) globalThis.gc?.();
}
`;

/**
 * Text that defines `openShared(module, sharing)`, an instance of a module with loops to share, and `asShareable(bytes, flagAt)`, the
 * bytes of such a module as they fit here; expects `newWorker(role)`, which
 * knows the role `thread`. Realms without SharedArrayBuffer, pages that are not cross-origin
 * isolated among them, have one thread.
 */
export const wasmThreadsText = `
  const canShare = typeof SharedArrayBuffer === "function";
  const asShareable = (bytes, flagAt) => {
    if (!canShare) bytes[flagAt] = ${unsharedFlag};
    return bytes;
  };
  // One set of workers a realm: of as many as the kernel with the most wants, less one. Its name says how to speak to them.
  const threadsHere = () => (globalThis[Symbol.for("unplugin-kernel.threads.1")] ??= startThreads());
  function startThreads() {
    const words = new Int32Array(new SharedArrayBuffer(4 * ${words.count}));
    const workers = [];
    const tell = () => {
      Atomics.add(words, ${words.news}, 1);
      Atomics.notify(words, ${words.news});
    };
    const send = (slot, message) => {
      Atomics.add(words, ${words.sent} + slot, 1);
      workers[slot - 1].postMessage(message);
      tell();
    };
    // A worker that is not to be had, by the page's policy for one, leaves its share to the others.
    const grow = (threads) => {
      try {
        while (workers.length < threads - 1) {
          const worker = newWorker("thread");
          worker.unref?.();
          worker.on?.("error", () => {});
          send(workers.push(worker), { words, slot: workers.length });
        }
      } catch {}
    };
    const helpers = (threads) => workers.slice(0, threads - 1).map((_, at) => at + 1);
    const forgotten = new FinalizationRegistry(({ id, threads }) => helpers(threads).forEach((slot) => send(slot, { id })));
    // A page's main thread may not sleep.
    const sleep = (inside) => {
      try {
        Atomics.wait(words, ${words.inside}, inside, 1);
      } catch {}
    };
    const waitForAll = () => {
      for (let look = 0, inside; (inside = Atomics.load(words, ${words.inside})) > 0; look++) if (look > ${looks}) sleep(inside);
    };
    let last = 0;
    return {
      // Workers learn of a kernel, until whoever can run it forgets it.
      introduce({ threads }, run, module, memory) {
        grow(threads);
        const id = ++last;
        for (const slot of helpers(threads)) send(slot, { id, module, memory });
        forgotten.register(run, { id, threads });
        return id;
      },
      isReady: ({ threads }) =>
        helpers(threads).every((slot) => Atomics.load(words, ${words.taken} + slot) === Atomics.load(words, ${words.sent} + slot)),
      share({ kernel, part, iterations, threads }, run) {
        words[${words.kernel}] = kernel;
        words[${words.part}] = part;
        words[${words.iterations}] = iterations;
        words[${words.next}] = 0;
        words[${words.failed}] = 0;
        Atomics.store(words, ${words.open}, threads);
        tell();
        try {
          for (let at; (at = Atomics.add(words, ${words.next}, 1)) < iterations; ) run(at, 0);
        } finally {
          Atomics.store(words, ${words.open}, 0);
          waitForAll();
        }
        if (Atomics.load(words, ${words.failed})) throw new WebAssembly.RuntimeError("a thread failed");
      },
    };
  }
  function openShared(module, sharing) {
    const { pages, threads } = sharing;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: canShare });
    const pool = canShare ? threadsHere() : null;
    const share = (part, iterations) => {
      if (pool) return pool.share({ kernel, part, iterations, threads }, parts[part]);
      for (let at = 0; at < iterations; at++) parts[part](at, 0);
    };
    const { exports } = new WebAssembly.Instance(module, { kernel: { memory, share } });
    const parts = ${partsText}(exports);
    const kernel = pool?.introduce(sharing, exports.run, module, memory);
    return { memory, run: exports.run, isReady: () => pool === null || pool.isReady(sharing) };
  }
`;
