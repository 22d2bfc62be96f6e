// A parser that hangs stops its own thread. Another one watches the number of the input, names the one that does not end, and ends the
// process.

import { Worker } from "node:worker_threads";

/** Longest that an input may take by the clock: esbuild takes half a minute for a megabyte of `export *`. */
const hangMs = 300_000;

export interface Watch {
  /** Says which input comes next. */
  next(at: number): void;
  close(): void;
}

/** @param name of the parser, for the message */
export function watchInputs(name: string, mostMs = hangMs): Watch {
  const number = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(-1);
  const worker = new Worker(watcher, { eval: true, workerData: { number, name, mostMs } });
  worker.unref();
  return {
    next(at) {
      number[0] = at;
    },
    close: () => void worker.terminate(),
  };
}

const watcher = `
  const { workerData: { number, name, mostMs } } = require("node:worker_threads");
  const { writeSync } = require("node:fs");
  let last = number[0];
  let since = performance.now();
  setInterval(() => {
    if (number[0] !== last) {
      last = number[0];
      since = performance.now();
    } else if (last >= 0 && performance.now() - since > mostMs) {
      writeSync(2, name + ": input " + last + " has not ended in " + mostMs / 1000 + " s: --from " + last + " --inputs 1\\n");
      process.kill(process.pid);
    }
  }, mostMs / 10);
`;
