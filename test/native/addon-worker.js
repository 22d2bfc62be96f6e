// A thread of its own that loads the addon at `path` and doubles `length` times `value`.

import { parentPort, workerData } from "node:worker_threads";

const { path, value, length } = workerData;
const addon = { exports: {} };
process.dlopen(addon, path);
const x = new Float64Array(length).fill(value);
const y = new Float64Array(length);
const sum = () => y.reduce((total, each) => total + each, 0);
addon.exports.call(0, x, y);
const call = sum();
y.fill(0);
await addon.exports.callAsync(0, x, y);
parentPort.postMessage({ call, callAsync: sum() });
