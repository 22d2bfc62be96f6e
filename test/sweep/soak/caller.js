// A caller: calls kernels as its draws say, and takes the memory of arrays away while calls are in flight. Each result is held against the
// sum that it has to be. A refusal by name (TypeError, RangeError) is right where an output was taken away, and nowhere else.

import { setImmediate as turn } from "node:timers/promises";
import { disturbances, memories } from "./arrays.js";
import { drawer, pick } from "./draw.js";

const names = Object.keys(disturbances);
const kinds = Object.keys(memories);

/** Rows that differ by row and call, so that another call's result is noticed; small integers, so that sums are exact. */
function fillMatrix(matrix, size, salt) {
  for (let i = 0; i < size; i++) matrix.fill((i + salt) % 7, i * size, (i + 1) * size);
  return matrix;
}

const isRight = (y, size, salt, value) =>
  y.length >= size && y.subarray(0, size).every((got, i) => got === ((i + salt) % 7) * value * size);

const isRefusal = (error) => error instanceof TypeError || error instanceof RangeError;

/** A result that was moved is the same result. */
const moved = (result) =>
  result.buffer instanceof ArrayBuffer && !result.buffer.resizable
    ? structuredClone(result, { transfer: [result.buffer] })
    : result;

/** Ways to call: each starts calls on a matrix and a vector and returns their promises. */
const ways = {
  async: ({ kernel, matrix, x, outputs }) => [kernel.async(matrix, x, ...outputs)],
  twice: ({ kernel, matrix, x, outputs }) => [kernel.async(matrix, x), kernel.async(matrix, x, ...outputs)],
  sync: ({ kernel, matrix, x }) => [Promise.resolve(kernel(matrix, x))],
  /** A call that blocks, of the same kernel on other values, while one is in flight. */
  between({ kernel, matrix, x, outputs }) {
    const pending = [kernel.async(matrix, x, ...outputs)];
    kernel(new Float32Array(matrix.length), new Float32Array(x.length));
    return pending;
  },
  /** The kernel's own arrays. */
  buffers({ kernel, matrix, x }) {
    const own = kernel.buffers();
    const given = Object.values(own);
    given[0].set(matrix);
    given[1].set(x);
    return [kernel.async(given[0], given[1]), Promise.resolve(kernel(...given).slice())];
  },
  layer({ kernel, matrix, x, outputs }) {
    const layer = kernel.pack({ W: matrix });
    return [layer.async(x), layer.async(x, ...outputs), Promise.resolve(layer(x))];
  },
};

/** Names of the ways that a kernel has. */
const waysOf = (kernel) => Object.keys(ways).filter((name) => name !== "layer" || "pack" in kernel);

/**
 * Calls once and disturbs. Returns what was drawn and found.
 *
 * @param kernels [name, kernel] of a matrix times a vector
 */
async function callOnce(kernels, draw) {
  const [name, kernel] = pick(draw, kernels);
  const size = kernel.info.parameters.N;
  const [way, disturbance] = [pick(draw, waysOf(kernel)), pick(draw, names)];
  const [memory, outputMemory] = [pick(draw, kinds), pick(draw, ["none", ...kinds])];
  const [salt, value, isLate, isOutputTaken] = [draw(7), 1 + draw(5), draw(2) === 0, draw(3) === 0];
  const matrix = fillMatrix(memories[memory](size * size), size, salt);
  const x = memories[memory](size).fill(value);
  const outputs = outputMemory === "none" ? [] : [memories[outputMemory](size)];
  const pending = ways[way]({ kernel, matrix, x, outputs });
  if (isLate) await turn();
  for (const array of [matrix, x, ...(isOutputTaken ? outputs : [])]) disturbances[disturbance](array);
  const found = { name, way, disturbance, memory, calls: 0, refused: 0, wrong: [] };
  for (const outcome of await Promise.allSettled(pending)) {
    found.calls += 1;
    const isGone = outputs.some(({ length }) => length < size);
    if (outcome.status === "rejected" && isRefusal(outcome.reason) && isGone) found.refused += 1;
    else if (outcome.status === "rejected")
      found.wrong.push(`${name}, ${way}, ${disturbance} of ${memory}: ${outcome.reason}`);
    // An output that was taken away after its result was in it holds whatever was done to it.
    else if (isOutputTaken && outputs.includes(outcome.value)) continue;
    else if (!isRight(moved(outcome.value), size, salt, value))
      found.wrong.push(`${name}, ${way}, ${disturbance} of ${memory}: not ${value * size} times a row`);
  }
  return found;
}

/** Calls of a thread, from as many callers side by side as its plan has. */
export async function play(kernels, seed, { callers, rounds }, onFound) {
  const call = async (_, number) => {
    const draw = drawer(seed + number);
    for (let round = 0; round < rounds; round++) {
      onFound(await callOnce(kernels, draw));
      await turn();
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
}
