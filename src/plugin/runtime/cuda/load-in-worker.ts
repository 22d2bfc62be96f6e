// Loading code off the event loop: the driver compiles PTX for tens of milliseconds, in a worker that has the context of the GPU. A module belongs to
// the context, so that the program's thread launches what the worker has loaded.

import { builtin } from "../../../native/process/start-worker.ts";

export interface ModuleToLoad {
  readonly koffiPath: string;
  /** The driver's library. */
  readonly library: string;
  readonly context: bigint;
  /** Machine code, or PTX that ends with a zero. */
  readonly code: Uint8Array;
}

export interface LoadedModule {
  /** Answer of the driver: 0, or what went wrong. */
  readonly code: number;
  readonly module: bigint;
}

/** Text of the worker. The prototypes are those of calls.ts. */
const script = `
const { parentPort, workerData } = require("node:worker_threads");
const { koffiPath, library, context, code: bytes } = workerData;
const driver = require(koffiPath).load(library);
const module = [0];
let code = driver.func("int cuCtxSetCurrent(uint64_t context)")(context);
if (code === 0) {
  const load = "int cuModuleLoadDataEx(_Out_ uint64_t *module, void *code, uint32_t count, void *options, void *values)";
  code = driver.func(load)(module, bytes, 0, null, null);
}
parentPort.postMessage({ code, module: BigInt(module[0]) });
`;

/** Loads a module. Rejects where the program may have no worker, or the worker fails. */
export function loadInWorker(wanted: ModuleToLoad): Promise<LoadedModule> {
  const { Worker } = builtin("node:worker_threads")!;
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { eval: true, execArgv: [], workerData: wanted });
    worker.on("message", resolve).on("error", reject);
    worker.on("exit", () => reject(new Error("the worker ended")));
  });
}
