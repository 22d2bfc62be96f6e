// Threads of WASM kernels: workers with an instance of each kernel on the memory that its caller's instance has. Part of emitted modules,
// and ours while we measure (wasm-instance.ts): there is one implementation.
//
// The caller works too, as in threads.c, and never waits for a worker to come, only for one that is at work: workers that are not there
// (yet) cost nothing but their help.

import { unsharedFlag, type WasmSharing } from "../../compiler/index.ts";
import type { KernelWorker, StartWorker } from "../process/start-worker.ts";
import type { ThreadMessage } from "./thread-role.ts";
import { looks, type Part, partsOf, words } from "./thread-words.ts";

/** A kernel whose loops threads share, on a memory that all of them see. */
export interface SharedKernel {
  readonly memory: WebAssembly.Memory;
  run(): void;
  /** Whether all present threads know of the kernel: a call before that has less help. */
  isReady(): boolean;
}

/** The workers of a realm that help with loops. */
interface Threads {
  /** Tells workers of a kernel, until `run` is collected. Returns the kernel's number. */
  introduce(sharing: WasmSharing, run: object, module: WebAssembly.Module, memory: WebAssembly.Memory): number;
  isReady(sharing: WasmSharing): boolean;
  /** Runs a loop on all threads, this one among them. */
  share(loop: Loop, run: Part): void;
}

interface Loop {
  readonly kernel: number;
  readonly part: number;
  readonly iterations: number;
  readonly threads: number;
}

/**
 * Says whether threads can share memory: not in realms without SharedArrayBuffer, such as pages that are not cross-origin
 * isolated.
 */
export const canShare = (): boolean => typeof SharedArrayBuffer === "function";

/** Marks a module with loops to share for threads that the realm has; changes its bytes. */
export function asShareable<Bytes extends Uint8Array>(bytes: Bytes, flagAt: number): Bytes {
  if (!canShare()) bytes[flagAt] = unsharedFlag;
  return bytes;
}

/**
 * One set of workers a realm: as many as the kernel with the most threads wants, less one. The name tells versions of the
 * protocol apart.
 */
const threadsHere = (start: StartWorker): Threads => {
  const realm = globalThis as { [key: symbol]: Threads | undefined };
  const name = Symbol.for("unplugin-kernel.threads.1");
  realm[name] ??= startThreads(start);
  return realm[name];
};

function startThreads(start: StartWorker): Threads {
  const shared = new Int32Array(new SharedArrayBuffer(4 * words.count));
  const workers: KernelWorker[] = [];
  const tell = (): void => {
    Atomics.add(shared, words.news, 1);
    Atomics.notify(shared, words.news);
  };
  const send = (slot: number, message: ThreadMessage): void => {
    Atomics.add(shared, words.sent + slot, 1);
    workers[slot - 1]!.postMessage(message);
    tell();
  };
  // A worker that cannot be started, by the page's policy for one, leaves its share to the others.
  const grow = (threads: number): void => {
    try {
      while (workers.length < threads - 1) {
        const worker = start("thread", { message() {}, failed() {} });
        worker.unref();
        send(workers.push(worker), { words: shared, slot: workers.length });
      }
    } catch {}
  };
  const helpers = (threads: number): readonly number[] => workers.slice(0, threads - 1).map((_, at) => at + 1);
  const forgotten = new FinalizationRegistry<{ readonly id: number; readonly threads: number }>(({ id, threads }) => {
    for (const slot of helpers(threads)) send(slot, { id });
  });
  // A page's main thread may not sleep.
  const sleep = (inside: number): void => {
    try {
      Atomics.wait(shared, words.inside, inside, 1);
    } catch {}
  };
  const waitForAll = (): void => {
    for (let look = 0; ; look++) {
      const inside = Atomics.load(shared, words.inside);
      if (inside === 0) return;
      if (look > looks) sleep(inside);
    }
  };
  const runIterations = (iterations: number, run: Part): void => {
    for (;;) {
      const at = Atomics.add(shared, words.next, 1);
      if (at >= iterations) return;
      run(at, 0);
    }
  };
  let last = 0;
  return {
    introduce({ threads }, run, module, memory) {
      grow(threads);
      last += 1;
      for (const slot of helpers(threads)) send(slot, { id: last, module, memory });
      forgotten.register(run, { id: last, threads });
      return last;
    },
    isReady: ({ threads }) =>
      helpers(threads).every(
        (slot) => Atomics.load(shared, words.taken + slot) === Atomics.load(shared, words.sent + slot),
      ),
    share({ kernel, part, iterations, threads }, run) {
      shared[words.kernel] = kernel;
      shared[words.part] = part;
      shared[words.iterations] = iterations;
      shared[words.next] = 0;
      shared[words.failed] = 0;
      Atomics.store(shared, words.open, threads);
      tell();
      try {
        runIterations(iterations, run);
      } finally {
        Atomics.store(shared, words.open, 0);
        waitForAll();
      }
      if (Atomics.load(shared, words.failed)) throw new WebAssembly.RuntimeError("a thread failed");
    },
  };
}

/** Opens a kernel on shared memory. Throws what the engine throws at a module that it refuses. */
export function openShared(module: WebAssembly.Module, sharing: WasmSharing, start: StartWorker): SharedKernel {
  const { pages, threads } = sharing;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: canShare() });
  const pool = canShare() ? threadsHere(start) : null;
  let kernel = 0;
  let parts: readonly Part[] = [];
  const share = (part: number, iterations: number): void => {
    if (pool) pool.share({ kernel, part, iterations, threads }, parts[part]!);
    else for (let at = 0; at < iterations; at++) parts[part]!(at, 0);
  };
  const { exports } = new WebAssembly.Instance(module, { kernel: { memory, share } });
  parts = partsOf(exports);
  const run = exports.run as () => void;
  kernel = pool?.introduce(sharing, run, module, memory) ?? 0;
  return { memory, run, isReady: () => pool === null || pool.isReady(sharing) };
}
