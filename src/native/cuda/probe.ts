// Whether this machine has a GPU for CUDA: asked in a process of its own, as drivers may crash or hang.

import { outputOfProgram } from "../process/program-output.ts";
import { whyNotOnGpu } from "./devices.ts";
import type { CudaState } from "./loader.ts";

const program = (loader: string): string => `
import { cudaState } from ${JSON.stringify(loader)};
console.log(JSON.stringify(await cudaState()));
process.exit();`;

const asked = new Map<string, Promise<CudaState>>();

/** Asks once a process and driver. @param loader URL of the module that measures, which knows the driver */
export function stateOfCuda(loader: string, driver: string | undefined): Promise<CudaState> {
  const key = `${loader} ${driver}`;
  const state = asked.get(key) ?? ask(loader);
  asked.set(key, state);
  return state;
}

async function ask(loader: string): Promise<CudaState> {
  const output = await outputOfProgram(program(loader));
  return output === null ? { reason: "the CUDA driver cannot be started here" } : (JSON.parse(output) as CudaState);
}

/** Says why the first GPU, on which kernels are measured, does not run code of an architecture; null: it does. */
export function whyNotMeasured(state: CudaState, architecture: string): string | null {
  if ("reason" in state) return state.reason;
  return whyNotOnGpu(state.gpus[0]!, architecture);
}

/** Architecture of a target's code, by its features: "sm_90a". */
export const architectureOf = (features: readonly string[]): string =>
  features.findLast((feature) => feature.startsWith("sm_")) ?? "sm_80";
