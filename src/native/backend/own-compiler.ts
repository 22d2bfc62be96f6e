// The compiler that the back end of a target brings, as that for NVIDIA's GPUs does, where the system's C compiler is of no use.

import { isForGpuHere, type Target } from "../../compiler/index.ts";

/** Identity of the compiler; null: it is not here. Undefined: the back end brings none. */
export async function ownCompiler(target: Target): Promise<string | null | undefined> {
  if (!isForGpuHere(target)) return undefined;
  const { executorNamed } = await import("./executors.ts");
  return executorNamed(target.backend).compiler?.();
}
