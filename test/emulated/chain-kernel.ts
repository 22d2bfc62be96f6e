// A case of the oracle chain, drawn for a target that is emulated → its kernel, with what the reference makes of the inputs.

import { lower } from "../../src/compiler/backend/lower.ts";
import { type CpuTarget, generateC } from "../../src/compiler/index.ts";
import { describeCase } from "../support/oracle-chain.ts";
import { drawCase, isIllegal } from "../support/random-schedule.ts";
import { firstMismatch } from "../support/reference.ts";
import type { EmulatedKernel } from "./run-emulated.ts";

/** Null for a sample that `check` refuses, of which the oracle chain allows few. */
export function chainKernel(seed: number, number: number, target: CpuTarget): EmulatedKernel | null {
  const it = drawCase(seed, number, [target]);
  const { family, numerics, reference, scheduled } = it;
  if (isIllegal(scheduled)) return null;
  const flat = lower(scheduled, { target, numerics });
  const { expected } = reference;
  return {
    family,
    source: generateC(flat, target, { numerics }),
    inputs: reference.inputs,
    sentinels: expected.map(({ sentinel }) => sentinel),
    wrong: (outputs) =>
      firstMismatch(reference, ({ name }) => outputs[expected.findIndex(({ parameter }) => parameter.name === name)]!),
    describe: (text) => describeCase(it, text),
  };
}
