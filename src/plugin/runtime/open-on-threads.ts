// Opens modules whose loops threads share, on memory that all of them see, and others as they are.

import { openShared } from "../../native/load/wasm-threads.ts";
import type { StartWorker } from "../../native/process/start-worker.ts";
import { type OpenModule, openAlone } from "./open-kernel.ts";

export const openOnThreads =
  (start: StartWorker): OpenModule =>
  (module, sharing) =>
    sharing ? openShared(module, sharing, start) : openAlone(module, sharing);
