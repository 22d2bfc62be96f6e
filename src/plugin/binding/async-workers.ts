// Workers that `async` of WASM kernels runs in: few, for all kernels of a realm.

import { threadRole, wasmThreadsText } from "../../native/load/wasm-threads.ts";
import { newWorkerText, workerScript } from "../../native/load/worker-script.ts";

/** Text that defines `openModule(module, sharing)`: what has `memory` and `run`. */
const openModuleText = (isShared: boolean): string => {
  const alone = "new WebAssembly.Instance(module).exports";
  if (!isShared) return `  const openModule = (module) => ${alone};`;
  return `${wasmThreadsText}  const openModule = (module, sharing) => (sharing ? openShared(module, sharing) : ${alone});`;
};

/**
 * Text that defines `openKernel({ run, prepare })`, here and in workers: `run` is a module, the places of its arrays, and which of them
 * are what; `prepare` what makes something of constants, null if nothing does. The memory of a preparation is needed again only if other
 * constants follow.
 */
const openKernelText = `function openKernel({ run, prepare }) {
    const open = ({ module, layout, sharing }) => {
      const { memory, run } = openModule(module, sharing);
      return { run, views: layout.map(([array, offset, length]) => new globalThis[array](memory.buffer, offset, length)) };
    };
    const kernel = open(run);
    let preparing = null;
    return {
      run: kernel.run,
      views: kernel.views,
      set(constants, isLast) {
        run.constants.forEach((view, at) => kernel.views[view].set(constants[at]));
        if (prepare === null) return;
        preparing ??= open(prepare);
        const { views } = preparing;
        prepare.taken.forEach((constant, at) => views[at].set(constants[constant]));
        preparing.run();
        run.results.forEach((view, at) => kernel.views[view].set(views[prepare.taken.length + at]));
        if (isLast) preparing = null;
      },
    };
  }`;

/** Gets a kernel once, its constants when there are new ones, then arrays. */
const asyncRole = (isShared: boolean): string =>
  `${openModuleText(isShared)}
${openKernelText}
const kernels = new Map();
function answer({ kernel, parts, constants, isLast, inputs }) {
  if (parts) kernels.set(kernel, { places: parts.run, ...openKernel(parts) });
  const { places, views, set, run } = kernels.get(kernel);
  if (constants) set(constants, isLast);
  places.inputs.forEach((view, at) => views[view].set(inputs[at]));
  run();
  return places.outputs.map((view) => views[view].slice());
}
port.onmessage = ({ data }) => {
  const { id, forget } = data;
  if (forget !== undefined) return void kernels.delete(forget);
  try {
    const outputs = answer(data);
    port.postMessage({ id, outputs }, outputs.map((output) => output.buffer));
  } catch (error) {
    port.postMessage({ id, error: String(error) });
  }
};`;

/**
 * The script of the workers of a kernel's module.
 *
 * @param isShared whether threads may share loops of its kernels
 */
export const kernelWorkerScript = (isShared: boolean): string =>
  workerScript({ async: asyncRole(isShared), ...(isShared && { thread: threadRole }) });

/** As many as Node has threads for work of this kind. */
const mostWorkers = 4;

/**
 * Text that defines `startAsyncWorker(ended)`: a worker, what waits for it by id, and the kernels that it knows. It keeps the process alive
 * only while it has work.
 */
const startText = `  function startAsyncWorker(ended) {
    const worker = newWorker("async");
    let isReady = false, answerReady;
    const ready = new Promise((resolve) => (answerReady = resolve));
    const waiting = new Map(), known = new Set();
    const settle = ({ id, outputs, error }) => {
      const { kernel, resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) worker.unref?.();
      if (error === undefined) return resolve(outputs);
      // It may be the kernel that could not be opened.
      known.delete(kernel.id);
      reject(new Error(kernel.name + ".async: " + error));
    };
    const hear = (data) => {
      if (!data.isReady) return settle(data);
      isReady = true;
      answerReady();
    };
    const fail = (error) => {
      ended(isReady);
      const why = "its worker failed: " + (error?.message ?? error);
      for (const id of [...waiting.keys()]) settle(isReady ? { id, error: why } : { id, outputs: null });
    };
    if (worker.on) worker.on("message", hear).on("error", fail).on("exit", () => fail("it ended"));
    else {
      worker.onmessage = ({ data }) => hear(data);
      worker.onerror = fail;
    }
    return { worker, ready, waiting, known, settle };
  }
`;

/**
 * Text that defines `openKernel`, and `asyncWorkers()`, which kernels are introduced to and called by; expects `builtin`, `workerText`,
 * `workerUrl`.
 */
export const asyncWorkersText = (isShared: boolean): string => `${newWorkerText}${openModuleText(isShared)}
  ${openKernelText}
${startText}  // Of all modules of the realm; its name says how to speak to them.
  const asyncWorkers = () => (globalThis[Symbol.for("unplugin-kernel.async.1${isShared ? ".shared" : ""}")] ??= openAsyncWorkers());
  function openAsyncWorkers() {
    const cores = globalThis.navigator?.hardwareConcurrency ?? builtin("node:os")?.availableParallelism() ?? 1;
    const most = Math.min(cores, ${mostWorkers});
    const workers = new Set();
    let lastKernel = 0, lastCall = 0, isForbidden = false;
    // One that ends before it was ready may not be: a page's policy forbids workers, and callers compute on their own thread.
    function start() {
      const it = startAsyncWorker((wasReady) => {
        workers.delete(it);
        isForbidden ||= !wasReady;
      });
      workers.add(it);
      return it;
    }
    // The one with the least to do, rather one that knows the kernel; a new one where all have something to do.
    function pick({ id }) {
      const cost = ({ waiting, known }) => 2 * waiting.size + (known.has(id) ? 0 : 1);
      const best = [...workers].reduce((best, it) => (best === null || cost(it) < cost(best) ? it : best), null);
      return best === null || (best.waiting.size > 0 && workers.size < most) ? start() : best;
    }
    function pickAllowed(kernel) {
      try {
        return isForbidden ? null : pick(kernel);
      } catch {
        isForbidden = true;
        return null;
      }
    }
    const forgotten = new FinalizationRegistry((id) => {
      for (const { worker, known } of workers) if (known.delete(id)) worker.postMessage({ forget: id });
    });
    return {
      // Workers know of a kernel until its owner is gone.
      introduce(owner, name) {
        const kernel = { id: ++lastKernel, name };
        forgotten.register(owner, kernel.id);
        return kernel;
      },
      // What a worker is told of a call may depend on whether it knows the kernel. Null: the caller has to compute itself.
      async call(kernel, messageFor) {
        const it = pickAllowed(kernel);
        if (it === null) return null;
        const id = ++lastCall;
        const answer = new Promise((resolve, reject) => it.waiting.set(id, { kernel, resolve, reject }));
        it.worker.ref?.();
        const post = () => {
          const { message, transfer } = messageFor(!it.known.has(kernel.id));
          it.worker.postMessage({ id, kernel: kernel.id, ...message }, transfer);
          it.known.add(kernel.id);
        };
        it.ready.then(post).catch((error) => it.settle({ id, error }));
        return answer;
      },
    };
  }
`;
