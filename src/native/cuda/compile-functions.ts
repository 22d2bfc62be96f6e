// A kernel, and what prepares its constants → PTX and, by a compiler, machine code of both, for one architecture.

import type { CudaSource } from "../../compiler/index.ts";
import type { CudaFunction } from "../addon/artifact.ts";
import type { CudaBinary, CudaTools } from "./cuda-tools.ts";
import { gpuArchitecture, portablePtx } from "./ptx.ts";

export interface CompiledFunctions {
  /** Architecture of the GPUs that run them all. */
  readonly architecture: string;
  readonly functions: readonly CudaFunction[];
}

/** Compiles functions of one kernel. An Error says what the compiler did. */
export async function compileFunctions(
  sources: readonly CudaSource[],
  tools: Pick<CudaTools, "compile">,
  signal?: AbortSignal,
): Promise<CompiledFunctions> {
  const text = sources.map((source) => source.text).join("\n");
  const architecture = gpuArchitecture({ architecture: sources[0]!.architecture, text });
  const functionOf = async (source: CudaSource): Promise<CudaFunction> => ({
    ...codeOf(await tools.compile(source, architecture, signal), architecture),
    launches: source.launches,
    scratch: source.scratch.map(({ bytes }) => bytes),
  });
  return { architecture, functions: await Promise.all(sources.map(functionOf)) };
}

const codeOf = ({ cubin, ptx }: CudaBinary, architecture: string): Pick<CudaFunction, "ptx" | "cubin"> => ({
  ptx: portablePtx(ptx, architecture),
  ...(cubin && { cubin: Buffer.from(cubin).toString("base64") }),
});
