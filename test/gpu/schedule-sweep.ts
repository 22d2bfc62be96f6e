// Schedules drawn from the spaces of operators for GPUs, held against the reference: `npm run test:webgpu`, `npm run test:cuda`. Executors are the
// interpreter, which sees races, for WebGPU Dawn on SwiftShader, with red zones around all arrays, and naga, which validates texts, and for CUDA
// NVRTC, which compiles them, "machine-code", which holds registers and memory against those of the space, and the CPU, which runs their texts, and the same of printed PTX; lavapipe runs those with subgroup matrices; "lowering" only generates. Rows of webgpu.jsonl and cuda.jsonl tell of the rounds of each operator, and a run goes on behind them.
//
//   node test/run-typescript.js schedules [--target cuda-sm80] [--executor interpreter] [--only "gemm;softmax"] [--samples 2000] [--seed 1] [--seconds 3600]
//     [--slice 200: schedules of a row] [--commits a,b: of rows that count] [--round 17: this one alone, not recorded]

import { parseArgs } from "node:util";
import { lavapipeTarget, noLavapipe, restartOnLavapipe } from "./lavapipe/lavapipe.ts";
import { drawRound } from "./sweep/draw-round.ts";
import { type Executor, executorNamed } from "./sweep/executors.ts";
import { type SweptOperator, sweptFor } from "./sweep/operators.ts";
import { addRow, type ExecutorName, progressOf, type SweepFailure, sweptCommit } from "./sweep/records.ts";
import { sweptTarget } from "./sweep/swept-targets.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    executor: { type: "string" },
    only: { type: "string" },
    samples: { type: "string" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "3600" },
    slice: { type: "string", default: "200" },
    commits: { type: "string" },
    round: { type: "string" },
  },
});
const target = sweptTarget(values.target ?? (values.executor === "lavapipe" ? lavapipeTarget.name : "webgpu"));
const name = (values.executor ?? (target.backend === "cuda" ? "interpreter" : "dawn")) as ExecutorName;
const samples = Number(values.samples ?? (name === "interpreter" ? 2000 : 200));
const [seed, slice] = [Number(values.seed), Number(values.slice)];
const until = performance.now() + Number(values.seconds) * 1000;
const commit = sweptCommit();
const commits = [commit, ...(values.commits?.split(",") ?? [])];
const mostFailures = 5;

if (name === "lavapipe" && noLavapipe === null) restartOnLavapipe();
const executor: Executor = await executorNamed(name, target).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

interface Swept {
  readonly rounds: readonly [number, number];
  readonly schedules: number;
  readonly failures: readonly SweepFailure[];
}

/** Goes through rounds until so many schedules were run, or the time is over. */
async function swept(operator: SweptOperator, first: number, wanted: number): Promise<Swept> {
  const failures: SweepFailure[] = [];
  let [schedules, round] = [0, first];
  while (schedules < wanted && performance.now() < until) {
    const drawn = drawRound(operator, seed, round, { target });
    const answers = drawn ? await executor.run(drawn) : [];
    for (const [at, reason] of answers.entries()) {
      if (reason === null) continue;
      const { template, text, kernel } = drawn!.schedules[at]!;
      failures.push({ round, template, reason: reason.slice(0, 400) });
      const printed = typeof kernel !== "string" && values.round !== undefined ? `\n${kernel.source.text}` : "";
      console.log(`${operator.title}, round ${round}, ${template}: ${reason}\n${text}${printed}`);
    }
    schedules += answers.length;
    round += 1;
    if (values.round !== undefined) break;
  }
  return { rounds: [first, round], schedules, failures };
}

/** Sweeps a slice. Says whether there is more to do. */
async function slices(operator: SweptOperator): Promise<boolean> {
  const { title } = operator;
  const done = progressOf({ target: target.name, executor: name, operator: title, seed }, commits);
  const left = samples - done.schedules;
  if (left <= 0 || performance.now() > until) return false;
  const began = performance.now();
  const { rounds, schedules, failures } = await swept(operator, done.round, Math.min(slice, left));
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
  const place = {
    date: new Date().toISOString(),
    commit,
    target: target.name,
    executor: name,
    device: executor.device,
  };
  const failed = failures.length;
  const registers = executor.counted?.();
  addRow({
    ...place,
    operator: title,
    seed,
    rounds,
    schedules,
    failed,
    seconds,
    ...(registers && { registers }),
    failures: failures.slice(0, mostFailures),
  });
  const near = registers ? `, registers near in ${registers.near} of ${registers.schedules}` : "";
  console.log(`${title}: ${schedules} schedules, ${failed} failed${near}, ${seconds} s`);
  all.schedules += schedules;
  all.failed += failed;
  await executor.rest();
  return left > schedules;
}

const all = { schedules: 0, failed: 0 };
const wanted = values.only?.split(";");
let open = sweptFor(target, executor).filter(({ title }) => wanted?.includes(title) ?? true);
if (values.round !== undefined) {
  for (const operator of open) all.failed += (await swept(operator, Number(values.round), 1)).failures.length;
} else {
  // All operators get on alike, whenever the time is over.
  while (open.length > 0 && performance.now() < until) {
    const next: SweptOperator[] = [];
    for (const operator of open) if (await slices(operator)) next.push(operator);
    open = next;
  }
  console.log(`${target.name}, ${executor.device}, seed ${seed}: ${all.schedules} schedules, ${all.failed} failed`);
}
process.exit(all.failed === 0 ? 0 : 1);
