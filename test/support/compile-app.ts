// Compiles kernels of a small app without a bundler: requests in, kernels and warnings out.

import { join } from "node:path";
import { detectMachine, type Machine } from "../../src/native/machine/machine.ts";
import { createBuildTunings } from "../../src/plugin/build/build-tunings.ts";
import { compileInContext } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { BuildTunings } from "../../src/plugin/kernel/compile-services.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import { type KernelContext, kernelContext } from "../../src/plugin/kernel/context/kernel-context.ts";
import type { KernelRequest } from "../../src/plugin/kernel/kernel-request.ts";
import { resolveOptions } from "../../src/plugin/options/options.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";

/** C = A × B of so many terms, or with `twice` C = 2 · A × B: the same operator, changed. */
export const gemmText = ({ twice = false, terms = 8 } = {}): string => `
import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";
export default defineOp({ M: 8, N: 16, K: ${terms} }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j))${twice ? ".mul(2)" : ""}, k));
});
`;

export interface Compiled {
  readonly kernel: CompiledKernel;
  readonly warnings: readonly string[];
}

export interface CompileCase {
  readonly request?: Partial<KernelRequest>;
  readonly options?: KernelPluginOptions;
  /** Machine that kernels are tuned for; default: this one. */
  readonly machine?: Machine;
  /** Another workbench, another state of the machine. */
  readonly change?: (context: KernelContext) => Partial<KernelContext>;
  readonly warnings?: string[];
  /** The environment that options are read from; default: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Tunings of the build that it is a part of; default: a build of its own. */
  readonly tunings?: BuildTunings;
}

/** Makes the shared tunings of one build. */
export const buildTunings = (totalSeconds: number | null = null): BuildTunings =>
  createBuildTunings({ totalSeconds, signal: new AbortController().signal });

/** Compiles `src/gemm.op.ts` below `root`, with lock and store there: a few trials, for WASM by default. */
export async function compileIn(
  root: string,
  {
    request = {},
    options = {},
    change = () => ({}),
    warnings = [],
    tunings = buildTunings(),
    environment = {},
    machine,
  }: CompileCase = {},
): Promise<Compiled> {
  const resolved = resolveOptions({ root, cacheDir: "store", mode: "tune", ...options }, root, environment);
  const log = { debug: () => {}, info: () => {}, warn: (line: string) => void warnings.push(line) };
  const wanted: KernelRequest = {
    opFile: join(root, "src/gemm.op.ts"),
    target: "wasm",
    parameters: {},
    fallback: "wasm",
    threads: 1,
    numerics: "fast",
    mode: resolved.mode,
    budget: { seconds: 600, trials: 4 },
    ...request,
  };
  const { signal } = new AbortController();
  const services = { options: resolved, log, signal, tunings, ...(machine && { machine }) };
  const context = await kernelContext(wanted, services);
  return { kernel: await compileInContext({ ...context, ...change(context) }), warnings };
}

/** This machine with other caches: L1 of so many bytes, and L2 and L3 of 16 times as many. */
export const machineWith = (l1Bytes: number): Machine => ({
  ...detectMachine(),
  caches: { l1Bytes, l2Bytes: 16 * l1Bytes, l3Bytes: 16 * l1Bytes },
});
