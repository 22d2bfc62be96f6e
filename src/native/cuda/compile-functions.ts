// CUDA C of a kernel, and of what prepares its constants → PTX and machine code of both, for one architecture.

import type { CudaSource } from "../../compiler/index.ts";
import type { CudaFunction } from "../addon/artifact.ts";
import type { CudaTools } from "./cuda-tools.ts";
import { gpuArchitecture, portablePtx, virtualArchitecture } from "./ptx.ts";

export interface CompiledFunctions {
  /** Architecture of the GPUs that run them all. */
  readonly architecture: string;
  readonly functions: readonly CudaFunction[];
}

/** Compiles functions of one kernel. An Error says what the compiler did. */
export async function compileFunctions(
  sources: readonly CudaSource[],
  tools: Pick<CudaTools, "compile" | "ptx">,
  signal?: AbortSignal,
): Promise<CompiledFunctions> {
  const text = sources.map((source) => source.text).join("\n");
  const architecture = gpuArchitecture({ architecture: sources[0]!.architecture, text });
  const functionOf = async (source: CudaSource): Promise<CudaFunction> => ({
    ptx: portablePtx(await tools.ptx(source, virtualArchitecture(architecture), signal), architecture),
    cubin: Buffer.from(await tools.compile(source, architecture, signal)).toString("base64"),
    launches: source.launches,
    scratch: source.scratch.map(({ bytes }) => bytes),
  });
  return { architecture, functions: await Promise.all(sources.map(functionOf)) };
}
