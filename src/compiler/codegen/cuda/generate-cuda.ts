// Flat loop IR of threads → CUDA C: one function a launch, and how they are launched.

import { cannotRun } from "../../backend/cannot.ts";
import type { Buffer, For, LoopFunc, Stmt, ThreadAxis } from "../../ir/loop-ir.ts";
import { walkStmt } from "../../ir/visit.ts";
import { gridAxisOf, groupAxisOf } from "../../lower/thread-axes.ts";
import { product } from "../../support/integer-math.ts";
import type { GenerateOptions } from "../code-generator.ts";
import { createNames } from "../js/names.ts";
import { parametersOf } from "../parameters.ts";
import type { CudaLaunch, CudaSource } from "./cuda-source.ts";
import { bytesOfElement, cudaType } from "./elements.ts";
import { type HelperName, helperTexts } from "./helpers.ts";
import { laneColumn, laneRow } from "./lane.ts";
import { linesOf, type StatementContext } from "./statement.ts";
import { hasWarpValues, operandsIn } from "./warp-statement.ts";

export function generateCuda(func: LoopFunc, { target, numerics }: GenerateOptions): CudaSource {
  const used = new Set<HelperName>();
  const names = createNames();
  let next = 0;
  const context: StatementContext = {
    names,
    use: (helper) => {
      used.add(helper);
      return helper;
    },
    wraps: true,
    loaded: new Map(),
    ahead: aheadIn(func.body),
    group: new Set(func.buffers.filter(({ memory }) => memory === "group").map(({ name }) => name)),
    operands: operandsIn(func),
    fresh: (stem) => `uk_${stem}${next++}`,
  };
  const bodies = func.body.kind === "seq" ? func.body.body : [func.body];
  const parts = bodies.map((body, at) => launchOf(body, `${func.name}_${at}`, func, context));
  const texts = parts.map(({ text }) => text);
  return {
    kind: "cuda",
    name: func.name,
    parameters: parametersOf(func.buffers),
    text: `${[...helperTexts(used), ...texts].join("\n")}\n`,
    launches: parts.map(({ launch }) => launch),
    scratch: scratchOf(func).map((buffer) => ({ name: buffer.name, bytes: bytesOf(buffer) })),
    architecture: target.features.findLast((feature) => feature.startsWith("sm_")) ?? "sm_70",
    numerics,
  };
}

const scratchOf = ({ buffers }: LoopFunc): readonly Buffer[] => buffers.filter(({ memory }) => memory === "workspace");

const bytesOf = ({ dtype, shape }: Buffer): number => product(shape) * bytesOfElement(dtype);

/** Names of the buffers that are filled in the background: those stored to before a batch ends. */
function aheadIn(body: Stmt): ReadonlySet<string> {
  const ahead = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "seq") return;
    const last = stmt.body.findLastIndex((it) => it.kind === "sync" && it.what === "commit");
    for (const each of stmt.body.slice(0, Math.max(0, last))) {
      walkStmt(each, (inner) => {
        if (inner.kind === "store") ahead.add(inner.buffer);
      });
    }
  });
  return ahead;
}

/** The function of one launch. */
function launchOf(
  body: Stmt,
  entry: string,
  func: LoopFunc,
  context: StatementContext,
): { text: string; launch: CudaLaunch } {
  const extents = new Map<ThreadAxis, number>();
  const inner = threadOf(body, extents);
  const size = (prefix: "blockIdx" | "threadIdx"): readonly [number, number, number] => [
    extents.get(`${prefix}.x`) ?? 1,
    extents.get(`${prefix}.y`) ?? 1,
    extents.get(`${prefix}.z`) ?? 1,
  ];
  const [grid, group] = [size("blockIdx"), size("threadIdx")];
  const own = usedIn(body);
  const shared = func.buffers.filter(({ name, memory }) => memory === "group" && own.has(name));
  const places = groupPlaces(shared);
  const groupBytes = places.at(-1)?.end ?? 0;
  const ofWarps = hasWarpValues({ ...func, body });
  if (ofWarps && group[0] !== 32) {
    throw cannotRun("cuda", `tiles of a warp are computed by ${group[0]} lanes`, "bind a loop of 32 to threadIdx.x");
  }
  const lines = [
    ...[...extents.keys()].map((axis) => `const int ${context.names(axis)} = ${axis};`),
    ...(shared.length > 0 ? ["extern __shared__ __align__(128) unsigned char uk_group[];"] : []),
    ...places.map(({ buffer, start }) => {
      const type = cudaType[buffer.dtype];
      return `${type} *const ${context.names(buffer.name)} = (${type} *)(uk_group + ${start});`;
    }),
    ...registerArrays(func, own, context),
    ...(ofWarps ? warpPlace : []),
    ...linesOf(inner, context),
  ];
  const parameters = func.buffers.filter(({ memory }) => memory === "caller" || memory === "workspace");
  const head = `extern "C" __global__ void __launch_bounds__(${product(group)}) ${entry}(${parameters.map((it) => parameter(it, context)).join(", ")}) {`;
  return {
    text: [head, ...lines.map((line) => `  ${line}`), "}"].join("\n"),
    launch: { entry, grid, group, groupBytes },
  };
}

/** Row and column of the first sum that a lane holds, and the row that it gives for a load of a tile. */
const warpPlace = [
  `const int ${laneRow} = threadIdx.x / 4, ${laneColumn} = threadIdx.x % 4 * 2;`,
  "const int uk_tile_row = threadIdx.x % 16, uk_tile_column = threadIdx.x / 16 * 8;",
];

const parameter = ({ name, dtype, role }: Buffer, { names }: StatementContext): string =>
  `${role === "input" ? "const " : ""}${cudaType[dtype]} *__restrict__ ${names(name)}`;

/** Buffers in registers that are no locals: arrays of each thread. */
function registerArrays(
  { buffers }: LoopFunc,
  used: ReadonlySet<string>,
  { names }: StatementContext,
): readonly string[] {
  return buffers
    .filter(({ name, memory }) => memory === "register" && used.has(name))
    .map(({ name, dtype, shape }) => `${cudaType[dtype]} ${names(name)}[${product(shape)}];`);
}

/** What one thread does: the body without the loops over threads, whose extents are noted. */
function threadOf(stmt: Stmt, extents: Map<ThreadAxis, number>): Stmt {
  const axis = stmt.kind === "for" ? axisOf(stmt) : null;
  if (stmt.kind !== "for" || !axis) return stmt;
  extents.set(axis, stmt.extent);
  return threadOf(stmt.body, extents);
}

const axisOf = (loop: For): ThreadAxis | null => gridAxisOf(loop) ?? groupAxisOf(loop);

function usedIn(body: Stmt): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(
    body,
    (stmt) => {
      if (stmt.kind === "store") names.add(stmt.buffer);
    },
    (expr) => {
      if (expr.kind === "load") names.add(expr.buffer);
    },
  );
  return names;
}

interface GroupPlace {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Buffers one after another, at multiples of 128 bytes. */
function groupPlaces(buffers: readonly Buffer[]): readonly GroupPlace[] {
  let end = 0;
  return buffers.map((buffer) => {
    const start = Math.ceil(end / 128) * 128;
    end = start + bytesOf(buffer);
    return { buffer, start, end };
  });
}
