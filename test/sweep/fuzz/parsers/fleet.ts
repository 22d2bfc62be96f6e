// Parsers of what goes through the queue of a fleet: jobs, results, registrations, and the files of Slurm. Their digests are right, whatever
// stands behind them: anybody can make one. Texts whose digest is damaged are the parser "sealed".

import { sha256 } from "../../../../src/compiler/index.ts";
import { type CarriedHeader, parseHeader } from "../../../../src/tuner/carried/kernel-folder.ts";
import { canonicalJson } from "../../../../src/tuner/data/key.ts";
import { encodeTarget } from "../../../../src/tuner/data/target-json.ts";
import { decodeJob, jobId, resultName } from "../../../../src/tuner/fleet/job.ts";
import { parseJobFile } from "../../../../src/tuner/fleet/job-file.ts";
import { decodeJobEnd, decodeRaceOutcome, decodeResult } from "../../../../src/tuner/fleet/result.ts";
import { type Purpose, seal, unseal } from "../../../../src/tuner/fleet/seal.ts";
import { classHash, decodeRegistration, queueOf, targetOfClass } from "../../../../src/tuner/fleet/worker-class.ts";
import { batchText, openBatch, openResults, resultsText } from "../../../../src/tuner/remote/batch.ts";
import type { Decode } from "../../../../src/tuner/support/strict.ts";
import { candidate, fakeClass, jobOf } from "../../../support/fleet/simulated.ts";
import { target } from "../../../tuner/store/sample-entry.ts";
import { type FuzzedParser, unless } from "../parser.ts";

const of = fakeClass("a");
const native = {
  ...of,
  platform: "linux-x64",
  features: ["avx2", "fma"],
  caches: { l1Bytes: 32_768, l2Bytes: 524_288, l3Bytes: 4_194_304 },
  targets: ["avx2", "wasm"],
  native: "avx2",
  toolchain: "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01",
};
const job = jobOf(of, [candidate(1), candidate(2)]);
const batch = {
  ...job.batch,
  target: encodeTarget(target),
  operator: "C[i, j] = sum(A[i, k] * B[k, j], k)\n",
  constants: ["B"],
};
const race = jobOf(of, [candidate(3)], {
  kind: "race",
  batch,
  baseline: candidate(0),
  operator: { file: "src/gemm.op.ts", parameters: { M: 512, dtype: "f32" }, digest: job.batch.task },
});
const from = {
  job: "b".repeat(64),
  class: classHash(of),
  targetClass: "avx2 avx2+fma 32B 16r",
  toolchain: "gcc 12.2.0",
  worker: "one",
};
const timing = { medianNs: 1500.5, minNs: 1400, p20Ns: 1450, repeats: 12 };
const measured = { kind: "ok", timing };
const result = { from, name: "c".repeat(64), baselineNs: 2000.25, measurement: measured };
const failed = { ...result, baselineNs: null, measurement: { kind: "crashed", reason: "SIGSEGV" } };
const results = {
  kind: "results",
  schema: 1,
  codegen: of.codegen,
  batch: "d".repeat(64),
  task: job.batch.task,
  targetClass: from.targetClass,
  toolchain: from.toolchain,
  results: [{ candidate: candidate(1), measurement: measured }],
};
const header: CarriedHeader = {
  name: "src/gemm.op.ts?tune=cuda-sm90",
  architecture: "sm_90a",
  targetClass: "cuda-sm90",
  compiler: "NVRTC 13.0",
  measuredBy: null,
};
const file = {
  end: seal("end", { from, why: "all" }, null),
  refused: null,
  results: { [result.name]: seal("result", result, null) },
};

/** Reads the body of a sealed text. */
const sealed =
  <T>(purpose: Purpose, decode: Decode<T>, use: (body: T) => void = () => {}) =>
  (text: string): string | null => {
    const body: unknown = unless([SyntaxError], () => JSON.parse(text));
    if (body === null) return null;
    const opened = unseal(purpose, seal(purpose, body, "key"), decode, "key");
    if (opened.kind === "refused") return null;
    use(opened.body);
    return JSON.stringify(opened.body);
  };

const withDigest = (body: unknown): string => JSON.stringify({ digest: sha256(canonicalJson(body)), body });

export const fleetParsers: readonly FuzzedParser[] = [
  {
    name: "sealed",
    seeds: () => [seal("job", job, "key"), seal("job", race, "key")],
    read(text) {
      const opened = unseal("job", text, decodeJob, "key");
      return opened.kind === "ok" ? seal("job", opened.body, "key") : null;
    },
  },
  {
    name: "fleet-job",
    seeds: () => [JSON.stringify(job), JSON.stringify(race)],
    read: sealed("job", decodeJob, (body) => [
      jobId(body),
      ...body.batch.candidates.map((one) => resultName(body, one)),
    ]),
  },
  {
    name: "fleet-result",
    seeds: () => [result, failed].map((one) => JSON.stringify(one)),
    read: sealed("result", decodeResult),
  },
  {
    name: "fleet-race",
    seeds: () => [
      JSON.stringify({ from, winner: 1, runnerUp: 0, timing }),
      JSON.stringify({ from, winner: 0, runnerUp: null, timing: null }),
    ],
    read: sealed("race", decodeRaceOutcome),
  },
  { name: "fleet-end", seeds: () => [JSON.stringify({ from, why: "deadline" })], read: sealed("end", decodeJobEnd) },
  {
    name: "fleet-worker",
    seeds: () => [of, native].map((one) => JSON.stringify({ kind: "worker", id: "host:4711", cores: 8, of: one })),
    read: sealed("worker", decodeRegistration, ({ of: its, cores }) => {
      queueOf(classHash(its), null);
      for (const name of its.targets)
        if (!targetOfClass(its, name, cores)) throw new Error(`its target ${name} is none`);
    }),
  },
  {
    name: "slurm-file",
    seeds: () => [JSON.stringify(file), JSON.stringify({ end: null, refused: "another commit", results: {} })],
    read(text) {
      const parsed = parseJobFile(text);
      return parsed && JSON.stringify(parsed);
    },
  },
  {
    name: "carried-header",
    seeds: () => [JSON.stringify(header), JSON.stringify({ ...header, measuredBy: "NVRTC 13.0, on NVIDIA H200" })],
    read(text) {
      const parsed = parseHeader(text);
      return parsed && JSON.stringify(parsed);
    },
  },
  {
    name: "batch",
    seeds: () => [JSON.stringify(job.batch), JSON.stringify(batch)],
    read(text) {
      const body: unknown = unless([SyntaxError], () => JSON.parse(text));
      const opened = openBatch(withDigest(body));
      if (opened.kind !== "ok") return null;
      if (openBatch(batchText(opened.body)).kind !== "ok") throw new Error("its own text is refused");
      return JSON.stringify(opened.body);
    },
  },
  {
    name: "batch-results",
    seeds: () => [JSON.stringify(results)],
    read(text) {
      const body: unknown = unless([SyntaxError], () => JSON.parse(text));
      const opened = openResults(withDigest(body));
      if (opened.kind !== "ok") return null;
      if (openResults(resultsText(opened.body)).kind !== "ok") throw new Error("its own text is refused");
      return JSON.stringify(opened.body);
    },
  },
];
