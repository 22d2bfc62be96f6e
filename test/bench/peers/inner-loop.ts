// Instructions of a kernel's innermost loop: of its loops that multiply, the one that multiplies most.

import { isCSource } from "../../../src/compiler/index.ts";
import { toolchainFor } from "../../../src/native/toolchain/detect.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { assemblerOf } from "../../support/assembler.ts";
import { type InstructionMix, instructionMix, multiplyingLoops } from "../../support/inner-loops.ts";

/** Null: the kernel is no C, or gcc is not what compiles it, or no loop of it multiplies vectors. */
export async function innerLoopOf(
  task: TuningTask,
  candidate: Candidate,
  directory: string,
): Promise<InstructionMix | null> {
  const toolchain = await toolchainFor(task.target);
  const kernel = candidateKernel(task, generateSpace(task), candidate);
  if (toolchain?.family !== "gcc" || kernel.kind !== "ok" || !isCSource(kernel.source)) return null;
  const mixes = multiplyingLoops(assemblerOf(kernel.source, toolchain, directory)).map(instructionMix);
  return mixes.toSorted((a, b) => b.multiplying - a.multiplying)[0] ?? null;
}
