// Workers that `async` of WASM kernels runs in: few, for all kernels of a realm.

import { builtin, type KernelWorker, startWorker, type WorkerSource } from "../../native/process/start-worker.ts";
import type { AsyncMessage, AsyncReply } from "./async-role.ts";
import type { Arrays } from "./implementation.ts";

/** Most workers of a realm: as many as Node has threads for work of this kind. */
const mostWorkers = 4;

/** A kernel that workers know, or will. */
export interface Introduced {
  readonly id: number;
  readonly name: string;
}

/** Message of a call to its worker, and the buffers in it that are moved instead of copied. */
export interface CallMessage {
  readonly message: Omit<Extract<AsyncMessage, { inputs: unknown }>, "id" | "kernel">;
  readonly transfer: readonly Transferable[];
}

export interface AsyncWorkers {
  /** Workers know of a kernel until its owner is collected. */
  introduce(owner: object, name: string): Introduced;
  /**
   * Runs the kernel in a worker.
   *
   * @param messageFor told whether the worker does not know the kernel yet
   * @returns null: there are no workers, and the caller has to compute by itself
   */
  call(kernel: Introduced, messageFor: (isNew: boolean) => CallMessage): Promise<Arrays | null>;
}

interface Waiting {
  readonly kernel: Introduced;
  resolve(outputs: Arrays | null): void;
  reject(error: Error): void;
}

/** A worker, the calls that wait for it by their id, and the kernels that it knows by theirs. */
interface AsyncWorker {
  readonly worker: KernelWorker;
  readonly ready: Promise<void>;
  readonly waiting: Map<number, Waiting>;
  readonly known: Set<number>;
  settle(reply: AsyncReply): void;
}

const messageOf = (error: unknown): unknown => (error as Error | undefined)?.message ?? error;

/**
 * Starts a worker, which keeps the process alive only while it has work.
 *
 * @param ended told whether it was ready when it ended
 */
function startAsyncWorker(source: WorkerSource, ended: (wasReady: boolean) => void): AsyncWorker {
  let isReady = false;
  let answerReady = (): void => {};
  const ready = new Promise<void>((resolve) => {
    answerReady = resolve;
  });
  const waiting = new Map<number, Waiting>();
  const known = new Set<number>();
  const settle = ({ id, outputs, error }: AsyncReply): void => {
    const call = waiting.get(id);
    if (!call) return;
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if (error === undefined) call.resolve(outputs ?? null);
    else {
      // The kernel itself may have failed to open, so its modules are sent again with the next call.
      known.delete(call.kernel.id);
      call.reject(new Error(`${call.kernel.name}.async: ${error}`));
    }
  };
  const worker = startWorker(source, "async", {
    message(data) {
      if (isReady) settle(data as AsyncReply);
      isReady = true;
      answerReady();
    },
    failed(error) {
      ended(isReady);
      const why = `its worker failed: ${messageOf(error)}`;
      for (const id of [...waiting.keys()]) settle(isReady ? { id, error: why } : { id, outputs: null });
    },
  });
  return { worker, ready, waiting, known, settle };
}

/** Returns the workers that all modules of the realm share. The number in the symbol's name is the version of their messages. */
export function asyncWorkers(source: WorkerSource): AsyncWorkers {
  const realm = globalThis as { [key: symbol]: AsyncWorkers | undefined };
  const name = Symbol.for("unplugin-kernel.async.2");
  realm[name] ??= openAsyncWorkers(source);
  return realm[name];
}

function openAsyncWorkers(source: WorkerSource): AsyncWorkers {
  const cores = globalThis.navigator?.hardwareConcurrency ?? builtin("node:os")?.availableParallelism() ?? 1;
  const most = Math.min(cores, mostWorkers);
  const workers = new Set<AsyncWorker>();
  let lastKernel = 0;
  let lastCall = 0;
  let isForbidden = false;

  // A worker that ends before it was ready may not be started at all: a page's policy forbids workers, and callers compute by themselves.
  function start(): AsyncWorker {
    const it = startAsyncWorker(source, (wasReady) => {
      workers.delete(it);
      isForbidden ||= !wasReady;
    });
    workers.add(it);
    return it;
  }
  // The worker with the least to do, rather one that knows the kernel; a new one where all have something to do.
  function pick({ id }: Introduced): AsyncWorker {
    const cost = ({ waiting, known }: AsyncWorker): number => 2 * waiting.size + (known.has(id) ? 0 : 1);
    const [best] = [...workers].sort((one, other) => cost(one) - cost(other));
    return !best || (best.waiting.size > 0 && workers.size < most) ? start() : best;
  }
  function pickAllowed(kernel: Introduced): AsyncWorker | null {
    try {
      return isForbidden ? null : pick(kernel);
    } catch {
      isForbidden = true;
      return null;
    }
  }
  const forgotten = new FinalizationRegistry<number>((id) => {
    for (const { worker, known } of workers) if (known.delete(id)) worker.postMessage({ forget: id });
  });
  return {
    introduce(owner, name) {
      lastKernel += 1;
      forgotten.register(owner, lastKernel);
      return { id: lastKernel, name };
    },
    async call(kernel, messageFor) {
      const it = pickAllowed(kernel);
      if (it === null) return null;
      lastCall += 1;
      const id = lastCall;
      const answer = new Promise<Arrays | null>((resolve, reject) => {
        it.waiting.set(id, { kernel, resolve, reject });
      });
      it.worker.ref();
      const post = (): void => {
        const { message, transfer } = messageFor(!it.known.has(kernel.id));
        it.worker.postMessage({ id, kernel: kernel.id, ...message }, transfer);
        it.known.add(kernel.id);
      };
      it.ready.then(post).catch((error) => it.settle({ id, error: String(error) }));
      return answer;
    },
  };
}
