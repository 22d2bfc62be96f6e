// One worker of the soak: so many callers side by side, each with arrays of its own, until the time is over. Half of them call
// off the event loop.

import { setImmediate as turn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { module, end, callers } = workerData;

/** The bits of small bf16 numbers are no small integers. */
const valueIn = {
  bf16: (step) => 0x3f80 + step,
  u8: (step) => step,
  other: (step) => step - 11,
};

const inputsOf = ({ kernel, inputs }) =>
  inputs.map(({ name, dtype }, seed) => {
    const { constructor: ArrayOf, length } = kernel.buffers()[name];
    const value = valueIn[dtype] ?? valueIn.other;
    return ArrayOf.from({ length }, (_, at) => value((at * 31 + seed * 17) % 23));
  });

/** One array, or several by name. */
const arraysOf = (result) => (ArrayBuffer.isView(result) ? [result] : Object.values(result));

const bytes = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const isSame = (result, expected) =>
  arraysOf(result).every((array, at) => Buffer.compare(bytes(array), bytes(expected[at])) === 0);

const cases = Object.entries(await import(module)).map(([name, kernel]) => {
  const it = { name, kernel, inputs: kernel.info.tensors.filter(({ role }) => role === "input") };
  // Others may be at work: it is the same bits all the same.
  return { ...it, expected: arraysOf(kernel(...inputsOf(it))).map((array) => array.slice()) };
});
const notNative = cases.filter(({ kernel }) => kernel.info.target !== "wasm" && kernel.info.twin !== "native");

let calls = 0;
setInterval(() => parentPort.postMessage({ calls }), 1000).unref();
const wrong = notNative.map(({ name, kernel }) => `${name} is not native: ${kernel.info.twinReason}`);

async function call(caller) {
  for (let round = caller; Date.now() < end; round++) {
    const it = cases[round % cases.length];
    const inputs = inputsOf(it);
    const result = caller % 2 === 0 ? await it.kernel.async(...inputs) : it.kernel(...inputs);
    calls += 1;
    if (!isSame(result, it.expected)) wrong.push(`${it.name} by caller ${caller}, call ${round}`);
    await turn();
  }
}

await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
parentPort.postMessage({ kernels: cases.length, calls, wrong, isOver: true });
