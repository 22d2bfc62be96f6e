// Generated CUDA C on the CPU, with the threads, the copies and the tensor cores of test/native/cuda/cpu-threads.h.

import type { CudaSource } from "../../../src/compiler/index.ts";
import type { Reference } from "../../support/reference.ts";
import { wrongKernels } from "./on-cpu.ts";

/** Helpers that are one instruction of a GPU, and the memory of groups, stand in the header. */
const forCpu = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !(line.startsWith("__device__") && line.includes("asm")) && !line.includes("extern __shared__"))
    .join("\n")
    .replaceAll('extern "C" __global__', "static __global__");

/** Returns what is wrong with each kernel's results; null: nothing. */
export const wrongOnCpu = (reference: Reference, sources: readonly CudaSource[]): readonly (string | null)[] =>
  wrongKernels(
    reference,
    "cpu-threads.h",
    sources.map((source) => ({ ...source, functions: forCpu(source.text) })),
  );
