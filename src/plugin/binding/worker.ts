// The worker that `async` of a WASM kernel runs in: what it is told to do, and how it is started and asked.

import { newWorkerText, wasmThreadsText } from "../../native/load/wasm-threads.ts";

export interface WorkerProgram {
  /** Whether threads share loops of its modules. */
  readonly isShared: boolean;
  /** What there is from message to message. */
  readonly state: readonly string[];
  /** Names of what a message has beside its id. */
  readonly message: string;
  /** Leaves `outputs`, arrays that the caller gets. */
  readonly steps: readonly string[];
}

/** Runs in a worker of Node or of a browser: answers each message with the outputs or what went wrong. */
export const workerProgram = ({ isShared, state, message, steps }: WorkerProgram): string =>
  [
    'const port = globalThis.process?.getBuiltinModule?.("node:worker_threads")?.parentPort ?? globalThis;',
    ...(isShared ? [newWorkerText] : []),
    openModuleText(isShared),
    ...state,
    `port.onmessage = ({ data: { id, ${message} } }) => {`,
    "  try {",
    ...steps.map((step) => `    ${step}`),
    "    port.postMessage({ id, outputs }, outputs.map((output) => output.buffer));",
    "  } catch (error) {",
    "    port.postMessage({ id, error: String(error) });",
    "  }",
    "};",
  ].join("\n");

/** Text that defines `openModule(module, sharing)`: what has `memory` and `run`. */
const openModuleText = (isShared: boolean): string => {
  const alone = "new WebAssembly.Instance(module).exports";
  if (!isShared) return `  const openModule = (module) => ${alone};`;
  return `${wasmThreadsText}  const openModule = (module, sharing) => (sharing ? openShared(module, sharing) : ${alone});`;
};

/**
 * Text that defines `openModule(module, sharing)`, and `startWorker(ended)`, which gives what posts a message; expects `name` and
 * `workerText`.
 */
export const workerSupport = (isShared: boolean): string => `${newWorkerText}${openModuleText(isShared)}
  // One worker a kernel, started by the first call of async; it keeps the process alive only while it has work.
  function startWorker(ended) {
    const worker = newWorker(workerText);
    const waiting = new Map();
    let last = 0;
    const settle = ({ id, outputs, error }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) worker.unref?.();
      error === undefined ? resolve(outputs) : reject(new Error(name + ".async: " + error));
    };
    const fail = (error) => {
      ended();
      for (const id of [...waiting.keys()]) settle({ id, error: "its worker failed: " + (error?.message ?? error) });
    };
    if (worker.on) worker.on("message", settle).on("error", fail);
    else {
      worker.onmessage = ({ data }) => settle(data);
      worker.onerror = fail;
    }
    return (message, transfer) => new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      worker.ref?.();
      worker.postMessage({ id, ...message }, transfer);
    });
  }
`;
