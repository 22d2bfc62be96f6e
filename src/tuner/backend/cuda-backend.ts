// NVIDIA's GPUs as one value for `useBackend`: CUDA C for tensor cores, and a thread for each element of all else.

import { pathToFileURL } from "node:url";
import {
  type AcceleratorTarget,
  type CudaSource,
  cudaGenerator,
  cudaMma,
  cudaSm80,
  cudaSm90,
  cudaWgmma,
} from "../../compiler/index.ts";
import { cudaExecutor } from "../../native/backend/cuda.ts";
import { packageFile } from "../../native/machine/package-file.ts";
import { gpuModel } from "../prior/gpu-model.ts";
import { direct } from "../space/algorithm/direct.ts";
import { inlineMaps } from "../space/tensor-cores/inline-maps.ts";
import { tensorCores } from "../space/tensor-cores/tensor-cores.ts";
import { threadsOfMap } from "../space/tensor-cores/threads-of-a-map.ts";
import type { Backend } from "./backend.ts";

/** @param loader returns the URL of `src/native/cuda/loader.ts`, bundled to JavaScript */
export const cudaBackendWith = (loader: () => string): Backend<AcceleratorTarget, CudaSource> => ({
  name: "cuda",
  targets: [cudaSm80, cudaSm90],
  generator: cudaGenerator,
  intrinsics: [...cudaMma, ...cudaWgmma],
  space: { rules: [inlineMaps, tensorCores, threadsOfMap], algorithms: [direct] },
  model: gpuModel,
  executor: cudaExecutor(loader),
});

/** The back end of this package: `useBackend(cudaBackend)`. */
export const cudaBackend = cudaBackendWith(() => pathToFileURL(packageFile("dist/native/cuda-loader.js")).href);
