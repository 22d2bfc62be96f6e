// Numbers of GPUs before anything is measured: of a small one, which all that WebGPU ships to every visitor is predicted for, of a common one of
// each maker, for tunings on such, and of those with tensor cores. Amounts are of a cycle of one processor, but for memory, which is one for all.
// What makers do not publish is as on the small one. Sources are named where numbers come from; none was measured on such a GPU here.

import {
  type AcceleratorTarget,
  cudaSm80,
  cudaSm90,
  type GpuClass,
  gpuClasses,
  targetForGpu,
  webgpu,
} from "../../compiler/index.ts";
import { gpuRates } from "./tensor-core-sizes.ts";

export interface GpuMachine {
  readonly clockGhz: number;
  readonly scalarFlops: number;
  readonly groupBytes: number;
  readonly l2Bytes: number;
  readonly memoryBytes: number;
  /** Share of the shorter works that is not hidden behind the longest. */
  readonly visibleShare: number;
  /** From the dispatch to the first thread. */
  readonly cyclesPerLaunch: number;
  /** Threads that go together: a processor takes as long for fewer. */
  readonly lanes: number;
  /** Threads, groups, registers of 32 bits and bytes for groups that a processor has at a time. */
  readonly threadsPerProcessor: number;
  readonly groupsPerProcessor: number;
  readonly registersPerProcessor: number;
  readonly groupBytesPerProcessor: number;
  /** Threads that keep a processor busy, if each has a single thing to do at a time. */
  readonly busyThreads: number;
  /** Things that one thread does beside each other: more of them hide no more. */
  readonly mostAtOnce: number;
  /** Loads that one thread has on their way. */
  readonly mostLoads: number;
  /** Cycles from a load to its value, from L2 or memory, and from the last thread at a barrier to the first behind it. Other groups hide them. */
  readonly latency: number;
  readonly barrierLatency: number;
  /** Cycles until a processor has one more operation of a text that is written out: it fetches all of that once. */
  readonly cyclesPerFetch: number;
  /** Cycles that a barrier takes for all threads that go together, and those that a group takes to begin: no group works meanwhile. */
  readonly cyclesPerMeeting: number;
  readonly cyclesPerGroup: number;
  /** Share of the loads from memory that no cache near the processor has, where neighbours read the same. */
  readonly missShare: number;
  /** Bytes that come together: a thread that reads a number of its own far from its neighbours' has all of them come. */
  readonly sectorBytes: number;
}

/**
 * Arithmetic, clock, memory and registers are as Apple's M1 is published, by twice as many processors of half the size: 2.6 TFLOP/s at
 * 1.28 GHz, 68 GB/s, 208 KiB of registers and 60 KiB for groups a core. The others are of the order of integrated GPUs of 2022 to 2025; not
 * measured.
 */
const smallGpu: GpuMachine = {
  clockGhz: 1.28,
  scalarFlops: 128,
  groupBytes: 64,
  l2Bytes: 24,
  memoryBytes: 53,
  visibleShare: 0.5,
  cyclesPerLaunch: 10_000,
  lanes: 32,
  threadsPerProcessor: 1_024,
  groupsPerProcessor: 16,
  registersPerProcessor: 26_624,
  groupBytesPerProcessor: 30_720,
  busyThreads: 512,
  mostAtOnce: 4,
  mostLoads: 8,
  latency: 400,
  barrierLatency: 40,
  cyclesPerFetch: 16,
  cyclesPerMeeting: 8,
  cyclesPerGroup: 10,
  missShare: 0.25,
  sectorBytes: 32,
};

/** Facts of each class in which it differs. */
const known: Readonly<Record<GpuClass, Partial<GpuMachine>>> = {
  // M1, 8 cores of 128 multiply-adds: "metal-benchmarks" of P. Turner: 208 KiB of registers, some 60 KiB for groups, SIMD groups of 32.
  apple: {
    scalarFlops: 256,
    groupBytes: 128,
    l2Bytes: 48,
    registersPerProcessor: 53_248,
    groupBytesPerProcessor: 61_440,
    groupsPerProcessor: 24,
  },
  // GeForce RTX 3060: whitepaper of GA102; CUDA C++ Programming Guide, compute capability 8.6: 1,536 threads, 16 blocks, 64 Ki registers and
  // 100 KiB a multiprocessor; 360 GB/s at 1.78 GHz.
  nvidia: {
    clockGhz: 1.78,
    scalarFlops: 256,
    groupBytes: 128,
    l2Bytes: 48,
    memoryBytes: 202,
    threadsPerProcessor: 1_536,
    registersPerProcessor: 65_536,
    groupBytesPerProcessor: 102_400,
  },
  // Radeon RX 6600, "RDNA" whitepaper: waves of 32, two SIMDs of 128 KiB of registers a compute unit, half of 128 KiB for groups; 16 waves a
  // SIMD; 224 GB/s at 2.5 GHz.
  amd: {
    clockGhz: 2.5,
    groupBytes: 128,
    l2Bytes: 64,
    memoryBytes: 90,
    registersPerProcessor: 65_536,
    groupBytesPerProcessor: 65_536,
    latency: 500,
  },
  // Xe-LPG, "oneAPI GPU Optimization Guide": 16 vector engines an Xe core, 8 threads each of 4 KiB of registers, SIMD of 16 for most; 64 KiB
  // for groups; two channels of DDR5 at 2.2 GHz.
  intel: {
    clockGhz: 2.2,
    scalarFlops: 256,
    groupBytes: 128,
    memoryBytes: 41,
    lanes: 16,
    threadsPerProcessor: 2_048,
    registersPerProcessor: 131_072,
    groupBytesPerProcessor: 65_536,
  },
  // Adreno, "OpenCL General Programming and Optimization" of Qualcomm: waves of 64 or 128 fibers, 32 KiB for groups; some 51 GB/s at 0.68 GHz.
  qualcomm: {
    clockGhz: 0.68,
    scalarFlops: 512,
    memoryBytes: 75,
    lanes: 64,
    registersPerProcessor: 65_536,
    groupBytesPerProcessor: 32_768,
  },
  // Mali-G77 and later, "Mali GPU Best Practices" of Arm: warps of 16, 1,024 threads of up to 32 registers a core, half as many of more, and
  // memory of groups in the cache that all loads go through, so that a copy there saves nothing; some 51 GB/s at 0.85 GHz.
  arm: {
    clockGhz: 0.85,
    groupBytes: 32,
    l2Bytes: 32,
    memoryBytes: 60,
    lanes: 16,
    registersPerProcessor: 32_768,
    missShare: 0.1,
  },
  // A core of a CPU, as SwiftShader uses it: four threads go in one vector, and at a barrier all of them leave their registers for the next
  // four. Memory of groups is memory, and loads do not meet. Groups come one after another, and nothing is waited for. Amounts are of the
  // order of softmax, layerNorm and products that were measured by `npm run bench:webgpu` on SwiftShader.
  software: {
    clockGhz: 3,
    scalarFlops: 1,
    groupBytes: 1,
    l2Bytes: 1,
    memoryBytes: 8,
    lanes: 4,
    threadsPerProcessor: 1,
    groupsPerProcessor: 1,
    busyThreads: 1,
    latency: 0,
    barrierLatency: 0,
    cyclesPerMeeting: 3_000,
    cyclesPerGroup: 3_000,
    missShare: 0,
    sectorBytes: 4,
  },
};

/**
 * Numbers of an H100; those in which an A100 differs stand in the table. The whitepapers of GA100 and GH100 and the CUDA C++ Programming Guide
 * (compute capability 8.0 and 9.0) say: 64 and 128 multiply-adds of f32 a multiprocessor, 2,048 threads, 32 blocks, 64 Ki registers, 164 and 228 KiB for
 * groups, 1,555 GB/s at 1.41 GHz for the A100. The rates that products on tensor cores go by as well are in tensor-core-sizes.ts.
 */
const largeGpu: GpuMachine = {
  ...smallGpu,
  scalarFlops: 256,
  groupBytes: gpuRates.groupBytes,
  l2Bytes: gpuRates.l2Bytes,
  clockGhz: gpuRates.clockGhz,
  memoryBytes: gpuRates.memoryBytes,
  cyclesPerLaunch: gpuRates.cyclesPerLaunch,
  threadsPerProcessor: gpuRates.threadsPerProcessor,
  groupsPerProcessor: 32,
  registersPerProcessor: 65_536,
  groupBytesPerProcessor: 228 * 1024,
  latency: 600,
};

/** By the name of the target. */
const machines = new Map<string, GpuMachine>([
  ...gpuClasses.flatMap((gpu) =>
    ([gpu, `${gpu}-subgroups`] as const).map(
      (kind) => [targetForGpu(webgpu, kind)!, { ...smallGpu, ...known[gpu] }] as const,
    ),
  ),
  [
    cudaSm80.name,
    { ...largeGpu, clockGhz: 1.41, scalarFlops: 128, memoryBytes: 1_100, groupBytesPerProcessor: 164 * 1024 },
  ],
  [cudaSm90.name, largeGpu],
]);

/** Numbers of a target's GPU; a target of no class is a small GPU. */
export const gpuMachineOf = ({ name }: Pick<AcceleratorTarget, "name">): GpuMachine => machines.get(name) ?? smallGpu;
