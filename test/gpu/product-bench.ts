// Schedules of a product of matrices on a device: checked, and timed in turns with cuBLAS.

import { lower } from "../../src/compiler/backend/lower.ts";
import {
  type CudaSource,
  cudaGenerator,
  cudaSm80,
  cudaSm90,
  fromBf16Bits,
  fromCompute,
  fromF16Bits,
  schedule,
  type Trace,
  toBf16Bits,
  toF16Bits,
} from "../../src/compiler/index.ts";
import type { CudaDevice, DeviceAddress } from "../../src/native/cuda/driver.ts";
import type { CudaCompiler } from "../../src/native/cuda/nvrtc.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { type Blocks, type Product, productOf } from "../compiler/cuda/schedules.ts";
import type { Cublas } from "./cublas.ts";

export interface Subject {
  readonly name: string;
  readonly blocks: Blocks;
  readonly trace: Trace;
}

export interface Measured {
  readonly subject: Subject;
  readonly product: Product;
  readonly isRight: boolean;
  /** Times of one run, medians of rounds; null: it was only checked. */
  readonly ms: number | null;
  readonly peerMs: number | null;
  readonly tflops: number | null;
}

export interface Bench {
  /** Runs schedules on integers, of which every sum is exact. */
  check(product: Product, subjects: readonly Subject[]): readonly Measured[];
  /** Times schedules; a sample of the elements is compared with sums in f64. */
  time(product: Product, subjects: readonly Subject[]): readonly Measured[];
}

const halves = {
  f16: { encode: toF16Bits, decode: fromF16Bits },
  bf16: { encode: toBf16Bits, decode: fromBf16Bits },
} as const;

/** Bytes behind the result that nothing may write, and what all of it holds before. */
const redZone = 4096;
const untouched = 0xff;

const rounds = 3;
const msOfRound = 20;
const samples = 2000;

export function createBench(device: CudaDevice, compiler: CudaCompiler, cublas: Cublas | null): Bench {
  return {
    check: (product, subjects) => {
      const memory = memoryOf(device, product, true);
      const results = subjects.map((subject) => {
        const kernel = kernelOf(device, compiler, product, subject, memory);
        const isRight = isRightOn(device, product, memory, kernel.run, everyElement(product));
        kernel.unload();
        return { subject, product, isRight, ms: null, peerMs: null, tflops: null };
      });
      memory.free();
      return results;
    },
    time: (product, subjects) => {
      const memory = memoryOf(device, product, false);
      const peer = cublas?.product(product, memory.A, memory.B, memory.peer) ?? null;
      const results = subjects.map((subject): Measured => {
        const kernel = kernelOf(device, compiler, product, subject, memory);
        const isRight = isRightOn(device, product, memory, kernel.run, someElements(product));
        const [own, other]: [number[], number[]] = [[], []];
        for (let round = 0; round < rounds; round++) {
          own.push(msOf(device, kernel.run));
          if (peer) other.push(msOf(device, peer));
        }
        kernel.unload();
        const ms = median(own);
        const { M, N, K } = product;
        const tflops = (2 * M * N * K) / ms / 1e9;
        return { subject, product, isRight, ms, peerMs: peer && median(other), tflops };
      });
      memory.free();
      return results;
    },
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

function msOf(device: CudaDevice, run: () => void): number {
  const count = Math.max(3, Math.min(200, Math.ceil(msOfRound / device.time(run))));
  const all = (): void => {
    for (let call = 0; call < count; call++) run();
  };
  return device.time(all) / count;
}

interface Memory {
  /** The operands as numbers. */
  readonly left: Float32Array;
  readonly right: Float32Array;
  readonly A: DeviceAddress;
  readonly B: DeviceAddress;
  readonly C: DeviceAddress;
  readonly peer: DeviceAddress;
  readonly free: () => void;
}

function memoryOf(device: CudaDevice, { M, N, K, dtype }: Product, isWhole: boolean): Memory {
  const rng = createRng(7);
  const { encode, decode } = halves[dtype];
  const value = (): number => (isWhole ? rng.below(9) - 4 : rng.unit() * 2 - 1);
  const [a, b] = [M * K, K * N].map((length) => Uint16Array.from({ length }, () => encode(value()))) as [
    Uint16Array,
    Uint16Array,
  ];
  const bytes = 2 * M * N;
  const all = [a.byteLength, b.byteLength, bytes + redZone, bytes].map(device.alloc);
  const [A, B, C, peer] = all as [DeviceAddress, DeviceAddress, DeviceAddress, DeviceAddress];
  device.upload(A, a);
  device.upload(B, b);
  const [left, right] = [Float32Array.from(a, decode), Float32Array.from(b, decode)];
  return { left, right, A, B, C, peer, free: () => all.forEach(device.free) };
}

function kernelOf(device: CudaDevice, compiler: CudaCompiler, product: Product, { trace }: Subject, memory: Memory) {
  const options = { target: device.capability[0] === 9 ? cudaSm90 : cudaSm80, numerics: "fast" } as const;
  const flat = lower(schedule(fromCompute(productOf(product)), trace), options);
  const source = cudaGenerator.generate(flat, options) as CudaSource;
  const module = device.load(compiler.compile(source, source.architecture).cubin);
  const runs = source.launches.map((launch) => module.launcher(launch, [memory.A, memory.B, memory.C]));
  return {
    unload: module.unload,
    run: () => {
      for (const run of runs) run();
    },
  };
}

type Element = readonly [row: number, column: number];

const everyElement = ({ M, N }: Product): readonly Element[] =>
  Array.from({ length: M * N }, (_, at) => [Math.floor(at / N), at % N]);

function someElements({ M, N }: Product): readonly Element[] {
  const rng = createRng(11);
  return Array.from({ length: samples }, () => [rng.below(M), rng.below(N)]);
}

/** Largest error of a sum of K products of numbers up to 1 in f32, and of its rounding to eight bits. */
const tolerance = (sum: number, { K }: Product): number => Math.abs(sum) / 128 + K * 2 ** -20;

function isRightOn(
  device: CudaDevice,
  product: Product,
  { left, right, C }: Memory,
  run: () => void,
  elements: readonly Element[],
): boolean {
  const { M, N, K, dtype } = product;
  const { decode, encode } = halves[dtype];
  const result = new Uint16Array(M * N + redZone / 2);
  device.fill(C, untouched, result.byteLength);
  run();
  device.wait();
  device.download(result, C);
  if (result.subarray(M * N).some((half) => half !== untouched * 257)) return false;
  const isWhole = elements.length === M * N;
  return elements.every(([row, column]) => {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += left[row * K + k]! * right[k * N + column]!;
    const found = decode(result[row * N + column]!);
    return isWhole ? found === decode(encode(sum)) : Math.abs(found - sum) <= tolerance(sum, product);
  });
}
