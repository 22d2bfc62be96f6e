// Kernel → machine code, by NVRTC, else by nvcc, or PTX, which needs neither. A GPU is needed for measuring alone, and a C compiler for nothing.

import { pathToFileURL } from "node:url";
import type { CudaSource } from "../../compiler/index.ts";
import { cudaTools } from "../cuda/compiler.ts";
import type { CudaTools } from "../cuda/cuda-tools.ts";
import type { CudaGpu } from "../cuda/devices.ts";
import { namedDriver } from "../cuda/driver.ts";
import type { CudaRunnable } from "../cuda/loader.ts";
import { architectureOf, stateOfCuda, whyNotMeasured } from "../cuda/probe.ts";
import { gpuArchitecture, portablePtx } from "../cuda/ptx.ts";
import { packageFile } from "../machine/package-file.ts";
import type { BuiltRunnable, Executor } from "./executor.ts";

/** Codes that are kept: finalists are built again for the race. */
const mostKept = 64;

/**
 * @param loader returns the URL of the loader, as JavaScript; asked when a kernel is built, or the machine looked at
 * @param findTools called when the first kernel is built
 */
export function cudaExecutorWith(loader: () => string, findTools = cudaTools): Executor<CudaSource> {
  const kept = new Map<string, Promise<BuiltRunnable>>();
  const build = (source: CudaSource, tools: CudaTools, signal?: AbortSignal): Promise<BuiltRunnable> => {
    const key = `${tools.identity} ${source.architecture} ${source.numerics}\n${source.text}`;
    const known = kept.get(key);
    // The build that asked for this code first may have been stopped.
    if (known) return known.catch(() => build(source, tools, signal));
    const code = compiled(source, tools, loader(), signal);
    kept.set(key, code);
    code.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return code;
  };
  return {
    name: "cuda",
    compiler: async () => (await findTools()).identity,
    async whyNotHere(_, target) {
      const architecture = architectureOf(target?.features ?? []);
      return whyNotMeasured(await stateOfCuda(loader(), namedDriver()), architecture);
    },
    async build(sources, { signal }) {
      const tools = await findTools();
      return Promise.all(sources.map((source) => build(source, tools, signal)));
    },
  };
}

/**
 * Compiles as `compileFunctions` does: a GPU of a later generation than the code's takes the PTX, as it does in a program. Rejects where the signal
 * is aborted.
 */
async function compiled(
  source: CudaSource,
  tools: CudaTools,
  module: string,
  signal: AbortSignal | undefined,
): Promise<BuiltRunnable> {
  try {
    const architecture = gpuArchitecture(source);
    const { cubin, ptx } = await tools.compile(source, architecture, signal);
    const text = new TextEncoder().encode(`${portablePtx(ptx, architecture)}\0`);
    const code = cubin ? [cubin, text] : [text];
    return { kind: "built", runnable: cudaRunnable(source, code, module) };
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: "build-failed", reason: (error as Error).message.slice(0, mostReason) };
  }
}

/** Makes the runner's candidate of machine code, or of PTX that ends with a zero, of which the driver takes one. */
export const cudaRunnable = (
  { launches, scratch }: Pick<CudaSource, "launches" | "scratch">,
  code: readonly Uint8Array[],
  module: string = cudaLoader(),
): CudaRunnable => ({ kind: "cuda", module, code, launches, scratch });

/** Most characters of what a compiler says. */
const mostReason = 2000;

/** URL of `src/native/cuda/loader.ts`, bundled to JavaScript. */
export const cudaLoader = (): string => pathToFileURL(packageFile("dist/native/cuda-loader.js")).href;

/** The executor of this package. */
export const cudaExecutor = cudaExecutorWith(cudaLoader);

/** Compiler and GPUs for CUDA of this machine. */
export interface CudaOfMachine {
  /** Name of the compiler, or of the printer of PTX: "NVRTC 13.0", "PTX printer 1". */
  readonly compiler: string;
  readonly gpus: readonly CudaGpu[];
  /** Why there is no GPU, empty where there is one. */
  readonly reason: string;
}

export async function cudaOfMachine(): Promise<CudaOfMachine> {
  const [tools, state] = await Promise.all([cudaTools(), stateOfCuda(cudaLoader(), namedDriver())]);
  const compiler = tools.identity;
  return "reason" in state ? { compiler, gpus: [], reason: state.reason } : { compiler, gpus: state.gpus, reason: "" };
}
