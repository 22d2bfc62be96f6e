// A report of made-up kernels, as many candidates as one likes: for looks, and for how a page with thousands of them feels.

import {
  type CandidateReport,
  type KernelReport,
  type MachineReport,
  type ReportData,
  reportSchema,
  type ScheduleReport,
  type TuningReport,
} from "../../src/plugin/report/report-data.ts";
import { tuningParts } from "../../src/tuner/support/profile.ts";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";

const machine: MachineReport = {
  cpu: "Example CPU 9000",
  platform: "linux-x64",
  cores: 8,
  features: ["avx", "avx2", "f16c", "fma", "sse4.2"],
  caches: { l1Bytes: 32768, l2Bytes: 1_048_576, l3Bytes: 4_194_304 },
  native: "avx2",
  compilers: [{ family: "gcc", version: "12.2.0" }],
  node: "22.12.0",
  v8: "12.4.254",
  codegen: "16",
};

const tunables = [
  "C.i.register",
  "C.i.block-tiles",
  "C.j.register",
  "C.j.block-tiles",
  "C.k.unroll",
  "C.order",
  "C.pack.B",
];
const templates = ["C tiled", "C tiled, B packed by rows"].map((name) => ({ name, tunables }));

function candidateOf(rng: Rng, at: number): CandidateReport {
  const template = rng.below(2);
  const values = tunables.map(() => 2 ** rng.below(6));
  if (rng.below(40) === 0)
    return { template, values, ns: null, status: "crashed", reason: `RuntimeError: unreachable <b>${at}</b>` };
  if (rng.below(40) === 0) return { template, values, ns: null, status: "timed-out", reason: "not done after 600 ms" };
  const luck = 1 + 6 * rng.unit() ** 2 + 2 / (1 + at / 30);
  return { template, values, ns: 4e5 * luck, status: "ok", reason: null };
}

/** The best so far, from the candidates themselves. */
function tuningOf(strategy: string, candidates: readonly CandidateReport[], msPerTrial: number): TuningReport {
  const improvements: [number, number, number][] = [];
  for (const [at, { ns }] of candidates.entries())
    if (ns !== null && ns < (improvements.at(-1)?.[2] ?? Number.POSITIVE_INFINITY))
      improvements.push([at + 1, (at + 1) * msPerTrial, ns]);
  const elapsedMs = candidates.length * msPerTrial + 600;
  const timeSplit = tuningParts.map((part, at) => ({ part, ms: (elapsedMs * (at + 1) ** 2) / 210 }));
  return { strategy, ended: "converged", measured: candidates.length, elapsedMs, improvements, timeSplit };
}

const code = (statements: number, step: number): string =>
  [
    "void kernel(const float *A, const float *B, float *C) {",
    ...Array.from({ length: statements }, (_, at) => `  C[${at * step}] += A[${at}] * B[${at * step}]; // ${at % 7}`),
    "}",
  ].join("\n");

const scheduleOf = (register: number, statements: number): ScheduleReport => ({
  template: "C tiled",
  decisions: Object.fromEntries(tunables.map((name, at) => [name, at === 0 ? register : 4])),
  steps: [`split C.i ${register}`, "split C.j 16", "reorder C.i.0 C.j.0 C.k C.i.1 C.j.1", "vectorize C.j.1"].join("\n"),
  nest: `for i0 in 0..${256 / register}\n  for j0 in 0..16\n    for k in 0..256\n      for i1 in 0..${register} unrolled\n        C[i, j] += A[i, k] * B[k, j]`,
  code: code(statements, register),
  language: "C",
});

/** The fastest of some candidates, and one that stands for the default. */
const placesOf = (candidates: readonly CandidateReport[]): { winner: number; default: number } => {
  const ns = (at: number): number => candidates[at]!.ns ?? Number.POSITIVE_INFINITY;
  const winner = [...candidates.keys()].reduce((best, at) => (ns(at) < ns(best) ? at : best));
  return { winner, default: [...candidates.keys()].find((at) => at !== winner && candidates[at]!.ns !== null) ?? 0 };
};

export interface SyntheticKernel {
  readonly name: string;
  readonly candidates: number;
  /** Whether the limits of the machine are known. */
  readonly hasRoof: boolean;
}

export function syntheticKernel({ name, candidates: count, hasRoof }: SyntheticKernel): KernelReport {
  const rng = createRng(name.length);
  const candidates = Array.from({ length: count }, (_, at) => candidateOf(rng, at));
  const places = placesOf(candidates);
  const flops = 2 * 256 ** 3;
  const [winnerNs, defaultNs] = [candidates[places.winner]!.ns!, candidates[places.default]!.ns!];
  return {
    kind: "kernel",
    name,
    parameters: { M: 256, N: 256, K: 256, dtype: "f32" },
    target: "avx2",
    numerics: "fast",
    threads: 1,
    twin: "WASM",
    origin: "lock",
    tunedFor: null,
    expression: "C[i, j] = sum(A[i, k] * B[k, j], k)",
    flops,
    bytes: 3 * 4 * 256 ** 2,
    measured: {
      medianNs: winnerNs * 1.02,
      gflops: flops / winnerNs / 1.02,
      toolchain: "gcc 12.2.0 x86_64",
      trials: count,
      isHere: true,
    },
    roof: hasRoof
      ? {
          gflops: 118,
          relaxedGflops: null,
          reading: { speed: 38, bytes: 2 * 4 * 256 ** 2, gflops: (flops * 38) / (2 * 4 * 256 ** 2) },
          leastNs: flops / 118,
          limitedBy: "arithmetic",
          isKernelFaster: false,
          source: "measured on one core",
        }
      : {
          gflops: null,
          relaxedGflops: null,
          reading: null,
          leastNs: null,
          limitedBy: null,
          isKernelFaster: false,
          source: "a build in this mode measures nothing",
        },
    againstDefault: { winnerNs, defaultNs },
    tunings: [tuningOf("default", candidates, 23)],
    templates,
    candidates,
    ...places,
    schedules: { chosen: scheduleOf(4, 40), default: scheduleOf(8, 48), problem: null },
  };
}

/** Two strategies' tunings of one kernel. */
export function withStrategies(kernel: KernelReport): KernelReport {
  const { candidates } = kernel;
  const half = candidates.length >> 1;
  const tunings = [tuningOf("default", candidates.slice(0, half), 23), tuningOf("random", candidates.slice(half), 19)];
  return { ...kernel, tunings };
}

export const syntheticReport = (kernels: ReportData["kernels"]): ReportData => ({
  schema: reportSchema,
  project: "example-project",
  commands: { tune: "npx unplugin-kernel tune", report: "npx unplugin-kernel report" },
  machine,
  kernels,
});
