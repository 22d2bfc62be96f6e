// Opens modules whose loops threads share, on memory that all of them see, and others as they are.

import type { StartWorker } from "../../native/load/start-worker.ts";
import { openShared } from "../../native/load/wasm-threads.ts";
import { type OpenModule, openAlone } from "./open-kernel.ts";

export const openOnThreads =
  (start: StartWorker): OpenModule =>
  (module, sharing) =>
    sharing ? openShared(module, sharing, start) : openAlone(module, sharing);
