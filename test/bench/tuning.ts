// Tuning by this checkout beside that of another one, without the machine's part in it: a runner that answers at once, with times made of a
// candidate's bytes, so that both search alike. What is left is drawing, predicting, lowering, learning and choosing.
//
//     npm run bench:tuning -- --against ../before      the other checkout has been built: node build.js --no-types

import type { OwnRunner } from "../../src/api/index.ts";
import type { TypedArray } from "../../src/compiler/index.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { median } from "./lowering-pairs.ts";
import { type Make, type Side, twoCheckouts } from "./two-checkouts.ts";

const operators: Readonly<Record<string, Make>> = {
  "gemm 256x256x256": ({ gemm }) => gemm({ M: 256, N: 256, K: 256 }),
  "conv2d 28x28x32 3x3 32": ({ conv2d }) => conv2d({ H: 28, W: 28, C: 32, F: 32, padding: 1 }),
  "softmax 64x1024": ({ softmax }) => softmax({ M: 64, N: 1024 }),
};
/** Pairs of a row, and candidates of a tuning. */
const [pairs, trials] = [7, 64];

/** Answers for each candidate with the outputs of the first, which all have to have, and a time that its bytes decide. */
function instantRunner({ api }: Side): OwnRunner {
  let outputs: readonly TypedArray[] | null = null;
  return {
    name: "instant",
    run({ artifact, parameters, inputs }) {
      outputs ??= outputsOf(api.load(artifact) as never, parameters.length, inputs);
      return { ns: [timeOf(artifact)], outputs };
    },
  };
}

function outputsOf(
  kernel: ((...arrays: TypedArray[]) => unknown) & { buffers(): Readonly<Record<string, TypedArray>> },
  count: number,
  inputs: readonly TypedArray[],
): readonly TypedArray[] {
  const arrays = Object.values(kernel.buffers()).slice(0, count);
  for (const [at, values] of inputs.entries()) arrays[at]!.set(values as never);
  kernel(...arrays);
  return arrays.slice(inputs.length).map((array) => array.slice());
}

/** FNV-1a of the module, as nanoseconds of a plausible kernel. */
function timeOf(artifact: object): number {
  const text = JSON.stringify(artifact);
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return 1e5 + (hash >>> 0) / 1e4;
}

async function tuneOnce(side: Side, make: Make): Promise<{ readonly ms: number; readonly schedule: string }> {
  const op = make(side.library);
  const options = { target: "wasm", seed: 1, runner: instantRunner(side), budget: { trials, seconds: 600 } } as const;
  const start = nowMs();
  const { schedule } = await side.api.tune(op, options);
  return { ms: nowMs() - start, schedule: side.api.saveSchedule(op, schedule, { target: "wasm" }) };
}

const { sides, against } = await twoCheckouts();
console.log(`time of this checkout's tunings of ${trials} candidates to ${against}'s: medians of ${pairs} pairs`);
const all: number[] = [];
for (const [name, make] of Object.entries(operators)) {
  const ratios: number[] = [];
  let isSame = true;
  for (let at = -1; at < pairs; at++) {
    const order = at % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    const found: { ms: number; schedule: string }[] = [];
    for (const side of order) found[side] = await tuneOnce(sides[side], make);
    // The first pair warms up both.
    if (at >= 0) ratios.push(found[0]!.ms / found[1]!.ms);
    isSame &&= found[0]!.schedule === found[1]!.schedule;
  }
  all.push(...ratios);
  const spread = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
  console.log(
    `${name.padEnd(26)} ${median(ratios).toFixed(3)} (${spread})${isSame ? "" : ", which end in other schedules"}`,
  );
}
console.log(`all ${median(all).toFixed(3)}`);
