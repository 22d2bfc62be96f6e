// Measures what one core can do in native code for a target: hand-written loops that are built and timed as the tuner's kernels are.

import type { CpuTarget } from "../../compiler/index.ts";
import { buildNative } from "../addon/build.ts";
import { loadNative, type NativeKernels } from "../load/load-native.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";
import { type MachineLimits, type RateName, type Rates, rateNames, readingSizes } from "./machine-limits.ts";
import { arithmeticProbes, type Probe, readingProbe } from "./native-probes.ts";

/** Bounds of the largest buffer, in bytes: beyond the caches, if that takes no more than 256 MB. */
const [leastRead, mostRead] = [2 ** 26, 2 ** 28];
/** Rounds over all loops: a disturbance by other work hardly lasts through all of them. */
const rounds = 6;
const roundNs = 4e6;
const mostSamples = 200;

/** Measures the limits. Null: the loops could not be built. */
export async function nativeLimits(
  target: CpuTarget,
  toolchain: Toolchain,
  directory: string,
): Promise<MachineLimits | null> {
  const most = Math.min(mostRead, Math.max(leastRead, 2 ** Math.ceil(Math.log2(2 * target.l3Bytes))));
  const arithmetic = [...arithmeticProbes(target)];
  const reading = readingSizes(most).map((bytes) => [bytes, readingProbe(target, bytes)] as const);
  const probes = [...arithmetic, ...reading].map(([, probe]) => probe);
  const fastest = await leastNs(probes, toolchain, directory, most);
  if (!fastest) return null;
  const speedOf = (probe: Probe): number => probe.count / fastest.get(probe)!;
  const measured = new Map<RateName, number>(arithmetic.map(([name, probe]) => [name, speedOf(probe)]));
  return {
    rates: Object.fromEntries(rateNames.map((name) => [name, measured.get(name) ?? null])) as Rates,
    reading: reading.map(([bytes, probe]) => ({ bytes, speed: speedOf(probe) })),
  };
}

/**
 * @param mostBytes bytes of the largest input
 * @returns nanoseconds of one run
 */
async function leastNs(
  probes: readonly Probe[],
  toolchain: Toolchain,
  directory: string,
  mostBytes: number,
): Promise<ReadonlyMap<Probe, number> | null> {
  const sources = probes.map(({ source }) => source);
  const built = await buildNative(sources, { outDir: directory, toolchain, bench: true });
  if (built.kind === "build-failed") return null;
  const loaded = loadNative(built.path, { features: sources[0]!.features });
  if (loaded.kind === "unavailable") return null;
  // Every page is a page of its own, and no value is denormal, which would take longer.
  const memory = new Float32Array(mostBytes / 4).fill(0.5);
  const least = new Map<Probe, number>();
  for (let round = 0; round < rounds; round++)
    for (const [index, probe] of probes.entries()) {
      const ns = runNs(loaded.kernels, index, probe, memory);
      least.set(probe, Math.min(least.get(probe) ?? Number.POSITIVE_INFINITY, ns));
    }
  return least;
}

/** Least count of one run: a shorter run is repeated within a sample, as the clock is too coarse for it. */
const leastCount = 2 ** 18;

function runNs({ bench }: NativeKernels, index: number, { source, count }: Probe, memory: Float32Array): number {
  const [input, output] = source.parameters;
  const arrays = [memory.subarray(0, input!.length), new Float32Array(output!.length)];
  const inner = Math.max(1, Math.ceil(leastCount / count));
  return Math.min(...bench!(index, arrays, mostSamples, roundNs, inner));
}
