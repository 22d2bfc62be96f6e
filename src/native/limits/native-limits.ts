// What one core can do in native code for a target: kernels by hand that are built and timed as those of the tuner are.

import type { CSource, KernelParameter, Target } from "../../compiler/index.ts";
import { buildNative } from "../build.ts";
import { loadKernel } from "../load/load-kernel.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";
import type { MachineLimits } from "./machine-limits.ts";

/** As many as are under way in a core at once, and no more than AVX2 has registers for. */
const accumulators = 12;
const steps = 20_000;
/** More than caches hold, as far as that is no more than a quarter of a gigabyte. */
const [leastRead, mostRead] = [2 ** 26, 2 ** 28];
/** Others may have a part of the core now and then: as many as there is time for. */
const tries = 4_000;
const mostNs = 300e6;

/** Null: they could not be built. */
export async function nativeLimits(
  target: Target,
  toolchain: Toolchain,
  directory: string,
): Promise<MachineLimits | null> {
  const lanes = target.vectorBytes / 4;
  const read = Math.min(mostRead, Math.max(leastRead, 2 ** Math.ceil(Math.log2(2 * target.l3Bytes))));
  const values = read / 4;
  const arithmeticNs = await leastNs(arithmeticKernel(target), 2 * lanes, toolchain, directory);
  const readingNs = await leastNs(readingKernel(target, values), values, toolchain, directory);
  if (arithmeticNs === null || readingNs === null) return null;
  return { gflops: (2 * lanes * accumulators * steps) / arithmeticNs, reading: read / readingNs };
}

async function leastNs(
  source: CSource,
  inputs: number,
  toolchain: Toolchain,
  directory: string,
): Promise<number | null> {
  const built = await buildNative([source], { outDir: directory, toolchain, bench: true });
  if (built.kind === "build-failed") return null;
  const arrays = [new Float32Array(inputs).fill(0.5), new Float32Array(source.parameters[1]!.length)];
  const samples = loadKernel(built).bench!(arrays, tries, mostNs, 1);
  return Math.min(...samples);
}

const each = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(" ");

/** Multiplications and additions on values that stay in registers; the compiler fuses them where the target can. */
function arithmeticKernel(target: Target): CSource {
  const lanes = target.vectorBytes / 4;
  const body = `const limits_vector a = limits_load(A), b = limits_load(A + ${lanes});
  limits_vector ${each(accumulators, (at) => `s${at} = b${at < accumulators - 1 ? "," : ";"}`)}
  for (long step = 0; step < ${steps}; step++) { ${each(accumulators, (at) => `s${at} = s${at} * a + b;`)} }
  const limits_vector sum = ${each(accumulators, (at) => `${at > 0 ? "+ " : ""}s${at}`)};`;
  return kernel(target, "limits_arithmetic", 2 * lanes, body);
}

const readers = 8;

function readingKernel(target: Target, values: number): CSource {
  const lanes = target.vectorBytes / 4;
  const body = `limits_vector ${each(readers, (at) => `s${at} = {0}${at < readers - 1 ? "," : ";"}`)}
  for (long at = 0; at < ${values}; at += ${readers * lanes}) {
    ${each(readers, (at) => `s${at} += limits_load(A + at + ${at * lanes});`)}
  }
  const limits_vector sum = ${each(readers, (at) => `${at > 0 ? "+ " : ""}s${at}`)};`;
  return kernel(target, "limits_reading", values, body);
}

function kernel({ vectorBytes, features }: Target, name: string, inputs: number, body: string): CSource {
  const lanes = vectorBytes / 4;
  const text = `typedef float limits_vector __attribute__((vector_size(${vectorBytes})));
typedef float limits_loose __attribute__((vector_size(${vectorBytes}), aligned(4), may_alias));
static inline __attribute__((always_inline)) limits_vector limits_load(const float *at) { return *(const limits_loose *)at; }
void ${name}(void *const *args, void *workspace) {
  const float *A = args[0];
  float *C = args[1];
  ${body}
  for (int lane = 0; lane < ${lanes}; lane++) C[lane] = sum[lane];
}
`;
  const parameters = [parameter("A", inputs, "input"), parameter("C", lanes, "output")];
  return { kind: "c", name, parameters, text, workspaceBytes: 0, threads: 1, features, numerics: "fast" };
}

const parameter = (name: string, length: number, role: KernelParameter["role"]): KernelParameter => {
  return { name, dtype: "f32", shape: [length], length, role };
};
