// Estimates what an element-wise stage does to the machine: it streams its operands in and its result out. An operand that another
// stage wrote comes from the cache that it fits.

import { byteSize, type ComputeDef, conversionsIn, widestBytesOf } from "../../../compiler/index.ts";
import type { CpuTask } from "../../data/task.ts";
import { coreOf } from "../../prior/machine-model.ts";
import type { RankingFacts } from "../../prior/ranker.ts";
import type { Estimate } from "../draft/draft.ts";
import type { Picks } from "../draft/near-lanes.ts";
import { dependsOn, type SchedulableStage, sizedBy } from "../draft/schedulable-stage.ts";
import { isVectorizableInside } from "../draft/vector-axis.ts";
import { bytesPerByte, type MapTile } from "./across.ts";

/** Work of one iteration, for `results` results. */
export interface MapBody {
  readonly results: number;
  readonly operations: number;
  /** Number of pairs of operations that are a product and a sum with it. */
  readonly multiplyAdds: number;
  /** Number of elements loaded from each buffer. */
  readonly loads: ReadonlyMap<string, number>;
  /** Number of these that are the same all along the last axis: the vectors of an iteration share them. Default: none. */
  readonly still?: ReadonlyMap<string, number>;
}

/** How a map walks its last axis, and what it does in an iteration. */
export interface MapWalk {
  /** Elements handled at a time; 1: scalar code. */
  readonly lanes: number;
  /** Tunable that says how many vectors an iteration handles; default: one vector. */
  readonly unroll?: string;
  /** Work of one iteration of one vector; default: that of one result. */
  readonly body?: MapBody;
  /** Loads and shuffles of operands that do not lie along the last axis; default: a load for each lane. */
  readonly picks?: Picks | undefined;
  /**
   * Tiles of the last axis, `unroll` vectors long, and of an axis that operands lie along, with the tunable that says how many times so many
   * rows (default: one), which are written out.
   */
  readonly tile?: { readonly axis: string; readonly rows: string; readonly rowsEach?: number };
}

/** Estimates a stage. */
export function mapEstimate(stage: SchedulableStage, task: CpuTask, walk: MapWalk): Estimate {
  const { lanes, unroll, body = plainBody(stage), picks = null, tile: tiled } = walk;
  // The facts depend on nothing but the sizes of the axes and the unrolling, and a search asks thousands of times.
  const variables = [
    ...stage.spatial.flatMap(({ size }) => size ?? []),
    ...(unroll ? [unroll] : []),
    ...(tiled ? [tiled.rows] : []),
  ];
  const known = new Map<string, RankingFacts>();
  return (assignment) => {
    const key = variables.map((name) => assignment[name]).join();
    const vectors = (unroll ? assignment[unroll]! : 1) * (picks?.vectors ?? 1);
    const written = tiled?.rowsEach ?? 1;
    const rows = tiled ? assignment[tiled.rows]! * written : 1;
    const tile = tiled ? { axis: tiled.axis, rows, columns: lanes * vectors } : null;
    const step = { lanes, vectors, written, body, picks, tile };
    const facts = known.get(key) ?? factsOf(sizedBy(stage, assignment), task, step);
    known.set(key, facts);
    return facts;
  };
}

interface MapStep {
  readonly lanes: number;
  /** Number of vectors of an iteration. */
  readonly vectors: number;
  /** Number of rows that are written out. */
  readonly written: number;
  readonly body: MapBody;
  readonly picks: Picks | null;
  readonly tile: MapTile | null;
}

function factsOf(stage: SchedulableStage, { op, target }: CpuTask, step: MapStep): RankingFacts {
  const { lanes, vectors, written, body, picks, tile } = step;
  const { results, operations, multiplyAdds } = body;
  const inner = stage.spatial.at(-1)!;
  const elements = elementsOf(stage.spatial);
  const iterations = elements / results;
  const steps = operations - multiplyAdds;
  const loads = [...body.loads].reduce((sum, [buffer, count]) => {
    const still = body.still?.get(buffer) ?? 0;
    return sum + still / vectors + (count - still) * (picks?.steps.get(buffer) ?? loadsPerVector(stage, buffer, lanes));
  }, 0);
  // Values that do not fit the registers are stored and loaded again.
  const spilled = results > 1 ? Math.max(0, Math.max(loads, results) - target.vectorRegisters) : 0;
  const passed = new Set(op.stages.map(({ name }) => name));
  const operands = [...body.loads].map(([buffer, count]) => ({
    bytes: bytesRead(stage, op, buffer, results > 1 ? count * iterations : Number.POSITIVE_INFINITY),
    isCached: passed.has(buffer),
    reads: stage.reads.filter((read) => read.buffer === buffer),
  }));
  const stored = elements * byteSize[stage.dtype];
  const streams = [...operands, { bytes: stored, isCached: !stage.isOutput, reads: [] }];
  const { lineBytes } = coreOf(target);
  const bytesOf = (cacheBytes: number, farther: (stream: (typeof streams)[number]) => boolean): number =>
    streams.filter(farther).reduce((sum, { bytes, reads }) => {
      const each = reads.map((read) => bytesPerByte(read, stage, tile, cacheBytes, lineBytes));
      return sum + bytes * Math.max(1, ...each);
    }, 0);
  return {
    flops: iterations * operations,
    // The last vector of a row works on all lanes.
    waste: (Math.ceil(inner.extent / lanes) * lanes) / inner.extent,
    // Vectors of bytes that are computed by way of wider elements are several vectors then.
    lanes: Math.min(lanes, Math.max(1, target.vectorBytes / widestBytesOf(stage.block.value))),
    multiplyAddShare: (2 * multiplyAdds) / operations,
    accumulators: 0,
    liveRegisters: 0,
    loadsPerOperation: (loads + 2 * spilled) / steps,
    bytesFromL2: bytesOf(target.l1Bytes, ({ bytes }) => bytes > target.l1Bytes),
    bytesFromL3: bytesOf(target.l2Bytes, ({ bytes }) => bytes > target.l2Bytes),
    bytesFromMemory: bytesOf(target.l3Bytes, ({ bytes, isCached }) => !isCached || bytes > target.l3Bytes),
    packedBytes: 0,
    // Each row along the last axis ends with an iteration of its own.
    loopIterations: ((iterations / inner.extent) * Math.ceil(inner.extent / (lanes * vectors))) / written,
    parallelTasks: 1,
    bodyInstructions: results > 1 ? steps + loads + results : 0,
    movesPerOperation: (results + conversionsIn(stage.block.value)) / steps,
  };
}

/** Counts the loads that bring a vector of a buffer: one, or one a lane where it does not lie along the vector. */
function loadsPerVector({ reads, spatial }: SchedulableStage, buffer: string, lanes: number): number {
  const inner = spatial.at(-1)!.name;
  return reads.every((read) => read.buffer !== buffer || isVectorizableInside(read, inner)) ? 1 : lanes;
}

function plainBody({ operations, reads }: SchedulableStage): MapBody {
  const buffers = new Set(reads.map(({ buffer }) => buffer));
  const loads = new Map([...buffers].map((buffer): [string, number] => [buffer, 1]));
  return { results: 1, operations: Math.max(1, operations), multiplyAdds: 0, loads };
}

/**
 * Counts the bytes that the stage reads of an operand: those that all reads touch, at most the whole, and at most `loads`
 * elements.
 */
function bytesRead(stage: SchedulableStage, { inputs, stages }: ComputeDef, buffer: string, loads: number): number {
  const reads = stage.reads.filter((read) => read.buffer === buffer);
  const input = inputs.find(({ name }) => name === buffer);
  const producer = stages.find(({ name }) => name === buffer);
  const whole = input?.shape.reduce((product, extent) => product * extent, 1) ?? elementsOf(producer!.axes);
  // Inlined stages are taken to read as many elements as there are results.
  const touched =
    reads.length > 0
      ? reads.map((read) => elementsOf(stage.spatial.filter((axis) => dependsOn(read, axis.name))))
      : [elementsOf(stage.spatial)];
  return (
    byteSize[(input ?? producer)!.dtype] *
    Math.min(
      whole,
      loads,
      touched.reduce((sum, elements) => sum + elements, 0),
    )
  );
}

const elementsOf = (axes: readonly { readonly extent: number }[]): number =>
  axes.reduce((product, { extent }) => product * extent, 1);
