// Calls kernels off the event loop and, while they run, takes their arrays' memory away: transferred, resized, detached and
// collected, or overwritten. Each result is held against plain loops: a call works on copies, a packed layer on its own.

import { setImmediate as turn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { module, seed } = workerData;
const kernels = Object.entries(await import(module));
const size = kernels[0][1].buffers().x.length;

let state = seed + 1;
/** A number from 0 to below `most`, of a linear congruential generator. */
function draw(most) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
}

/** Rows that differ by row and call, so that another call's result is noticed; small integers, so that sums are exact. */
const fillMatrix = (matrix, salt) => {
  for (let i = 0; i < size; i++) matrix.fill((i + salt) % 7, i * size, (i + 1) * size);
  return matrix;
};

const isRight = (y, salt, value) => y.every((got, i) => got === ((i + salt) % 7) * value * size);

const arrayOf = (length, isResizable) =>
  new Float32Array(
    isResizable ? new ArrayBuffer(length * 4, { maxByteLength: length * 8 }) : new ArrayBuffer(length * 4),
    0,
    length,
  );

/** What is done to memory that a call was given. Each takes an array and leaves nothing of it to the call. */
const disturbances = {
  transfer: ({ buffer }) => void structuredClone(buffer, { transfer: [buffer] }),
  collect: ({ buffer }) => {
    structuredClone(buffer, { transfer: [buffer] });
    globalThis.gc?.();
    return Array.from({ length: 4 }, () => new Float32Array(size * 4).fill(Number.NaN));
  },
  resize: ({ buffer }) => void (buffer.resizable ? buffer.resize(0) : structuredClone(buffer, { transfer: [buffer] })),
  overwrite: (array) => void array.fill(Number.NaN),
  nothing: () => undefined,
};
const names = Object.keys(disturbances);

const notNative = kernels.filter(([, { info }]) => info.target !== "wasm" && info.twin !== "native");

let counts = { calls: 0, refused: 0, disturbed: {}, wrong: notNative.map(([name]) => `${name} is not native`) };
function report() {
  parentPort.postMessage(counts);
  counts = { calls: 0, refused: 0, disturbed: {}, wrong: [] };
}

const isRefusal = (error) => error instanceof TypeError || error instanceof RangeError;

async function round() {
  const [name, kernel] = kernels[draw(kernels.length)];
  const disturbance = names[draw(names.length)];
  // Only memory that can be resized is; most callers have the other kind.
  const isResizable = disturbance === "resize" && draw(2) === 0;
  const [salt, value] = [draw(7), 1 + draw(5)];
  const matrix = fillMatrix(arrayOf(size * size, isResizable), salt);
  const x = arrayOf(size, isResizable).fill(value);
  const pending = [];
  try {
    if (name.startsWith("packed") && draw(4) > 0) {
      const layer = kernel.pack({ W: matrix });
      for (let at = 0; at < 3; at++) pending.push(layer.async(x));
    } else pending.push(kernel.async(matrix, x));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    counts.refused += 1;
  }
  if (draw(2) === 0) await turn();
  for (const array of [matrix, x]) disturbances[disturbance](array);
  counts.disturbed[disturbance] = (counts.disturbed[disturbance] ?? 0) + 1;
  for (const outcome of await Promise.allSettled(pending)) {
    counts.calls += 1;
    if (outcome.status === "rejected") {
      if (isRefusal(outcome.reason)) counts.refused += 1;
      else counts.wrong.push(`${name}, ${disturbance}: ${outcome.reason}`);
    } else if (!isRight(outcome.value, salt, value)) {
      counts.wrong.push(
        `${name}, ${disturbance}: ${outcome.value.slice(0, 4)} in place of ${value * size} times a row`,
      );
    }
  }
}

const caller = async () => {
  for (;;) {
    await round();
    report();
    await turn();
  }
};
await Promise.all([caller(), caller(), caller()]);
