// Calls a kernel again and again, and says how many elements were wrong.

import { parentPort, workerData } from "node:worker_threads";

const { path, calls, input, expected } = workerData;
const module = { exports: {} };
process.dlopen(module, path);
let wrong = 0;
for (let call = 0; call < calls; call++) {
  const y = new Float64Array(input.length);
  module.exports.call(0, input, y);
  wrong += y.reduce((count, value, at) => count + (value === expected[at] ? 0 : 1), 0);
}
parentPort.postMessage(wrong);
