// Code for CUDA in a module: its PTX, machine code and launches, for the calls that an NVIDIA GPU of the program's machine may answer. Pages get none.

import type { CudaFunction } from "../../../native/addon/artifact.ts";
import type { CudaCode, CudaTwin } from "../../kernel/twin.ts";
import type { CudaCode as CodeFacts, CudaFacts } from "../../runtime/cuda/cuda-facts.ts";
import type { Written } from "../literal.ts";
import { type KernelSignature, resultsOf, sourcesOf, takenBy } from "../parameters.ts";
import type { TwinBinding } from "./twin-binding.ts";

export const cudaBinding: TwinBinding<CudaTwin> = {
  runsInBrowsers: false,
  assets: () => [],
  write: ({ code }, { references, signature }) =>
    references.isForBrowsers
      ? { kind: "beside", create: "withoutCuda" }
      : { kind: "beside", create: "createCudaKernel", from: "cuda", gpu: code && factsOf(code, signature) },
};

const factsOf = ({ architecture, run, prepare, split }: CudaCode, signature: KernelSignature): Written<CudaFacts> => ({
  architecture,
  code: [run, ...(prepare ? [prepare] : [])].map(codeOf),
  sources: sourcesOf(split?.run ?? signature.tensors, signature),
  prepare: split ? { taken: takenBy(split.prepare, signature), results: resultsOf(split.prepare) } : undefined,
});

const codeOf = ({ ptx, cubin, launches, scratch }: CudaFunction): Written<CodeFacts> => ({
  text: ptx,
  ...(cubin !== undefined && { cubin }),
  launches,
  scratch,
});
