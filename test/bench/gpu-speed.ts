// Rates of what a tuning for a GPU does before anything runs, over all operators of the library: how many schedules a second are drawn, without and
// with a look ahead, and how long a schedule takes from its decisions to its text. Seconds are of this process's CPU, so that others cost less of the
// result. For CUDA products are of bf16, on tensor cores where their extents allow it.
//
//     npm run bench:gpu-speed -- --target cuda-sm90 --only gemm,softmax --seconds 0.5 --schedules 60
//     npm run bench:gpu-speed -- --record        appends a row an operator to webgpu/speed-rows.jsonl

import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ComputeDef, instantiate, type Target, targetNamed } from "../../src/compiler/index.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { drawPoint, searchSpace } from "../../src/tuner/search/point/search-space.ts";
import { type GeneratedSpace, generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { library } from "../support/library/library.ts";
import { operandTypes, titleOf } from "../support/library/library-operator.ts";
import { appendLine } from "./json-lines.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "webgpu" },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "0.5" },
    schedules: { type: "string", default: "60" },
    record: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const schedules = Number(values.schedules);
/** Schedules that are lowered before the clock runs, while V8 compiles: no search is so short. And before the later ones of a search. */
const [warmUp, later] = [20, 400];
const named = targetNamed(values.target);
if (!named) throw new Error(`there is no target ${values.target}`);
const target: Target = named;
/** What a tuning wants: schedules a second, also with a look ahead, and milliseconds from decisions to text. */
const bars =
  target.backend === "cuda" ? { plain: 1_500, ahead: 500, loweringMs: 10 } : { plain: 4_000, ahead: 0, loweringMs: 10 };

/** Milliseconds. */
interface Spread {
  readonly p50: number;
  readonly p90: number;
  readonly most: number;
}

export interface SpeedRow {
  /** Absent in rows of before 27 November 2026, 8:00: webgpu. */
  readonly target: string;
  readonly operator: string;
  readonly dtype: string;
  readonly parameters: Readonly<Record<string, number>>;
  readonly templates: number;
  /** Different schedules that were drawn in a second, of all templates in turn. */
  readonly drawnPerSecond: number;
  readonly aheadPerSecond: number;
  /** Milliseconds from decisions to text, of schedules of all templates in turn. */
  readonly lowering: Spread;
  /** The same of schedules behind the first 400, when V8 has compiled what it will. Absent in rows of before 28 November 2026, 20:00. */
  readonly loweringLater?: Spread;
  readonly load: number;
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function drawnPerSecond(space: GeneratedSpace, spread: "plain" | "look-ahead"): number {
  const search = searchSpace(space);
  const rng = createRng(1);
  const draw = (at: number): string =>
    drawPoint(search, search.templates[at % search.templates.length]!, rng, { spread })?.key ?? "none";
  for (let at = 0; at < 200; at++) draw(at);
  const drawn = new Set<string>();
  const start = cpuSeconds();
  let count = 0;
  // A small space has no more schedules: then all draws count.
  for (; cpuSeconds() - start < seconds; count++) drawn.add(draw(count));
  const elapsed = cpuSeconds() - start;
  return Math.round((drawn.size < count / 2 ? count : drawn.size) / elapsed);
}

/** Times of the first schedules, and of as many later ones. */
function loweringMs(task: TuningTask, space: GeneratedSpace): readonly [first: Spread, later: Spread] {
  const search = searchSpace(space);
  const rng = createRng(2);
  const times: number[] = [];
  for (let at = 0; at < later + schedules; at++) {
    const template = search.templates[at % search.templates.length]!;
    const point = drawPoint(search, template, rng, { spread: "plain" });
    if (!point) throw new Error(`${template.template.name} has no schedule`);
    const [start, startMs] = [cpuSeconds(), performance.now()];
    const kernel = candidateKernel(task, space, point.candidate);
    // Other processes are in the one, compilers and collectors of V8 beside this thread in the other.
    const elapsed = Math.min(cpuSeconds() - start, (performance.now() - startMs) / 1e3);
    if (kernel.kind !== "ok") throw new Error(kernel.diagnostic.message);
    times.push(elapsed * 1e3);
  }
  return [spreadOf(times.slice(warmUp, warmUp + schedules)), spreadOf(times.slice(later))];
}

function spreadOf(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (share: number): number =>
    Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2));
  return { p50: quantile(0.5), p90: quantile(0.9), most: quantile(1) };
}

function rowOf({
  op,
  ...rest
}: Pick<SpeedRow, "operator" | "dtype" | "parameters"> & { readonly op: ComputeDef }): SpeedRow {
  const task: TuningTask = { op, target, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const [lowering, loweringLater] = loweringMs(task, space);
  return {
    target: target.name,
    ...rest,
    templates: space.templates.length,
    drawnPerSecond: drawnPerSecond(space, "plain"),
    aheadPerSecond: drawnPerSecond(space, "look-ahead"),
    lowering,
    loweringLater,
    load: loadavg()[0]!,
  };
}

const wanted = values.only.split(",");
for (const operator of library) {
  const title = titleOf(operator);
  if (!operator.types.includes("f32") || !wanted.some((part) => title.includes(part))) continue;
  const [shape] = operator.shapes;
  const dtype = target.backend === "cuda" && operator.types.includes("bf16") ? "bf16" : "f32";
  const op = instantiate(shape.op(operandTypes(dtype)), {}, "bench");
  const row = rowOf({ operator: title, dtype, parameters: shape.parameters, op });
  const { drawnPerSecond: plain, aheadPerSecond: ahead, lowering } = row;
  const isMet = plain >= bars.plain && ahead >= bars.ahead && lowering.p90 <= bars.loweringMs;
  const times = `p50 ${lowering.p50} ms, p90 ${lowering.p90}, later ${row.loweringLater?.p50} and ${row.loweringLater?.p90}`;
  console.log(
    `${title.padEnd(28)} ${row.templates} templates, ${plain} and ${ahead} draws/s, ${times}${isMet ? "" : ": NOT MET"}`,
  );
  if (values.record) appendLine(join(process.cwd(), "test/bench/webgpu/speed-rows.jsonl"), row);
}
