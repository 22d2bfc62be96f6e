// A tensorized GEMM with random extents → its kernel for a target, with what the reference makes of the inputs.

import { generateC, printTrace, schedule, type Target } from "../../src/compiler/index.ts";
import { lower } from "../../src/compiler/lower/pipeline.ts";
import { createRng } from "../../src/tuner/rng.ts";
import { narrowGemm, tensorizedTile } from "../compiler/intrinsic/tensorized-gemm.ts";
import { firstMismatch, referenceOf } from "../support/reference.ts";
import type { EmulatedKernel } from "./run-emulated.ts";

export interface TensorizedCase {
  readonly intrinsic: string;
  readonly a: "u8" | "i8" | "i16";
  readonly b: "i8" | "i16";
  readonly group: number;
}

export function tensorizedKernel(
  { intrinsic, a, b, group }: TensorizedCase,
  target: Target,
  seed: number,
): EmulatedKernel {
  const rng = createRng(seed);
  const extent = (): number => 1 + rng.below(37);
  const op = narrowGemm(extent(), extent(), extent(), a, b);
  const reference = referenceOf(op, rng);
  const { expected } = reference;
  const trace = tensorizedTile({
    intrinsic,
    lanes: 16,
    group,
    rows: 1 + rng.below(4),
    vectors: 1 + rng.below(2),
    widen: null,
  });
  const flat = lower(schedule(reference.naive, trace), { target, numerics: "fast" });
  return {
    family: intrinsic,
    source: generateC({ ...flat, name: `${flat.name}_${seed}` }, target, { numerics: "fast" }),
    inputs: reference.inputs,
    sentinels: expected.map(({ sentinel }) => sentinel),
    wrong: (outputs) =>
      firstMismatch(reference, ({ name }) => outputs[expected.findIndex(({ parameter }) => parameter.name === name)]!),
    describe: (text) => `${text}\n${JSON.stringify(op.parameters)}\n${printTrace(trace)}`,
  };
}
