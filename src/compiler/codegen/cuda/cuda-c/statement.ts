// Statement of the flat loop IR of threads → lines of CUDA C. Vectors are printed lane by lane; runs in memory are moved at once.

import { fromAffine } from "../../../ir/affine.ts";
import { isLaneActive } from "../../../ir/lanes.ts";
import type { Assign, BoxSync, Define, Expr, If, Stmt, Store, Sync } from "../../../ir/loop-ir.ts";
import { isWarpWide } from "../../../ir/thread-axes.ts";
import { lanesOf } from "../../../ir/visit.ts";
import { invariant } from "../../../support/invariant.ts";
import { straightLines } from "../../straight-lines.ts";
import { alignedRun } from "../plan/aligned-run.ts";
import { isBoxCopy } from "../plan/boxes.ts";
import type { Choice } from "../plan/chosen.ts";
import { bytesOfElement } from "../plan/elements.ts";
import { type Run, withGatheredLoads } from "../plan/gathered-loads.ts";
import { type Lane, laneAt } from "../plan/lane.ts";
import { type CopiedRun, copiedRun, isInBackground, vectorLoadsIn } from "../plan/vector-moves.ts";
import { boxLines, boxSync } from "./box-copy.ts";
import { type CudaContext, cudaExpr, cudaIndex } from "./expression.ts";
import type { StatementContext } from "./statement-context.ts";
import { cudaMove, cudaType } from "./types.ts";
import { warpAssign, warpDefine, warpStore } from "./warp-statement.ts";

type Lines = readonly string[];

const indented = (lines: Lines): Lines => lines.map((line) => `  ${line}`);

/** Lines of a statement; what a sequence of them loads of neighbours in memory is loaded together. */
export const linesOf = (stmt: Stmt, context: StatementContext): Lines =>
  straightLines(stmt.kind === "seq" ? stmt.body : [stmt], (buffer) => context.read.has(buffer)).flatMap((line) => {
    const elements = new Map(context.elements);
    const inner = { ...context, elements };
    return withGatheredLoads(line, context).flatMap((step) =>
      "run" in step ? linesOfRun(step.run, context, elements) : linesOfOne(step.stmt, inner),
    );
  });

/** Loads a run, and notes the elements of it that loads stand for. */
function linesOfRun(
  { buffer, dtype, start, elements: loads }: Run,
  context: StatementContext,
  elements: Map<Expr, string>,
): Lines {
  const name = context.fresh("run");
  const move = cudaMove(loads.length * bytesOfElement(dtype));
  for (const [at, same] of loads.entries()) for (const load of same) elements.set(load, `${name}[${at}]`);
  return [
    `alignas(16) ${cudaType[dtype]} ${name}[${loads.length}];`,
    `*(${move} *)${name} = *(const ${move} *)&${context.names(buffer)}[${cudaIndex(fromAffine(start), null, context)}];`,
  ];
}

function linesOfOne(stmt: Stmt, context: StatementContext): Lines {
  switch (stmt.kind) {
    case "for": {
      const i = context.names(stmt.name);
      const head = `for (int ${i} = 0; ${i} < ${stmt.extent}; ${i}++) {`;
      const hint =
        stmt.annotations.unroll === undefined ? "#pragma unroll 1" : `#pragma unroll ${stmt.annotations.unroll}`;
      return [hint, head, ...indented(linesOf(stmt.body, context)), "}"];
    }
    case "seq":
      // A sequence in another has locals of its own.
      return ["{", ...indented(linesOf(stmt, context)), "}"];
    case "if":
      return linesOfIf(stmt, context);
    case "store":
      if (!isWarpWide(stmt.value)) return linesOfStore(stmt, context);
      return isBoxCopy(stmt, context) ? boxLines(stmt, context) : warpStore(stmt, context);
    case "define":
      return isWarpWide(stmt.value) ? warpDefine(stmt, context) : linesOfLocal(stmt, context);
    case "assign":
      return isWarpWide(stmt.value) ? warpAssign(stmt, context) : linesOfLocal(stmt, context);
    case "sync":
      return stmt.slots === undefined
        ? [syncs[stmt.what as keyof typeof syncs](stmt.pending)]
        : boxSync(stmt.what as BoxSync, stmt.slots, context);
    case "prefetch":
      return [];
    case "block":
      invariant(false, `block ${stmt.name} reached the code generator`);
  }
}

const syncs = {
  barrier: () => "__syncthreads();",
  commit: () => 'asm volatile("cp.async.commit_group;" ::: "memory");',
  wait: (pending: number) => `asm volatile("cp.async.wait_group ${pending};" ::: "memory");`,
  publish: () => 'asm volatile("fence.proxy.async.shared::cta;" ::: "memory");',
  "begin-products": () => 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");',
  "commit-products": () => 'asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");',
  "wait-products": (pending: number) => `asm volatile("wgmma.wait_group.sync.aligned ${pending};" ::: "memory");`,
} as const satisfies Record<Exclude<Sync["what"], BoxSync>, (pending: number) => string>;

function linesOfIf(stmt: If, context: StatementContext): Lines {
  const yes = [
    `if (${cudaExpr(stmt.condition, null, { ...context, wraps: false })}) {`,
    ...indented(linesOf(stmt.then, context)),
  ];
  return stmt.else ? [...yes, "} else {", ...indented(linesOf(stmt.else, context)), "}"] : [...yes, "}"];
}

// ── scalars and short vectors ───────────────────────────────────────────────────────────────────────────────────────

function linesOfStore(stmt: Store, context: StatementContext): Lines {
  const index = stmt.indices[0]!;
  const lanes = lanesOf(stmt.value);
  const buffer = context.names(stmt.buffer);
  const at = (place: Expr, lane: Lane | null): string => context.place(stmt.buffer, cudaIndex(place, lane, context));
  if (lanes === 1) {
    return ifActive(stmt, 0, `${buffer}[${at(index, null)}] = ${cudaExpr(stmt.value, null, context)};`, context);
  }
  const copy = copiedRun(stmt);
  if (copy) return [lineOfCopy(stmt, copy, context)];
  const { lines, inner } = loadedRuns(stmt.value, context);
  const { dtype } = stmt.value;
  const start = stmt.active ? null : alignedRun(index, dtype);
  const values = Array.from({ length: lanes }, (_, lane) => cudaExpr(stmt.value, laneAt(lane), inner));
  if (!start) {
    const stores = values.flatMap((value, lane) =>
      ifActive(stmt, lane, `${buffer}[${at(index, laneAt(lane))}] = ${value};`, context),
    );
    return ["{", ...indented([...lines, ...stores]), "}"];
  }
  const move = cudaMove(lanes * bytesOfElement(dtype));
  const name = context.fresh("out");
  return [
    "{",
    ...indented([
      ...lines,
      `alignas(16) ${cudaType[dtype]} ${name}[${lanes}] = {${values.join(", ")}};`,
      `*(${move} *)&${buffer}[${at(start, null)}] = *(${move} *)${name};`,
    ]),
    "}",
  ];
}

/** The store of a lane, which is left out where fewer lanes are written. */
function ifActive({ active }: Store, lane: number, line: string, context: StatementContext): Lines {
  const isActive = isLaneActive(active, lane);
  if (isActive !== null) return isActive ? [line] : [];
  return [`if (${cudaIndex(active!, null, context)} > ${lane}) ${line}`];
}

/** A move of a run, which goes on in the background where threads need not wait for it. */
function lineOfCopy(stmt: Store, copy: CopiedRun, context: StatementContext): string {
  const source = addressOf(copy.load.buffer, copy.from, context);
  const target = addressOf(stmt.buffer, copy.to, context);
  if (isInBackground(stmt, copy, context)) {
    return `${context.use("uk_copy16")}(${context.use("uk_shared")}(${target}), ${source});`;
  }
  const move = cudaMove(copy.bytes);
  return `*(${move} *)${target} = *(const ${move} *)${source};`;
}

const addressOf = (buffer: string, index: Expr, context: StatementContext): string =>
  `&${context.names(buffer)}[${context.place(buffer, cudaIndex(index, null, context))}]`;

function linesOfLocal(stmt: Define | Assign, context: StatementContext): Lines {
  const lanes = lanesOf(stmt.value);
  const name = context.names(stmt.name);
  const type = cudaType[stmt.value.dtype];
  if (lanes === 1) {
    return [`${stmt.kind === "define" ? `${type} ` : ""}${name} = ${cudaExpr(stmt.value, null, context)};`];
  }
  const { lines, inner } = loadedRuns(stmt.value, context);
  const sets = Array.from(
    { length: lanes },
    (_, lane) => `${name}[${lane}] = ${cudaExpr(stmt.value, laneAt(lane), inner)};`,
  );
  const declared = stmt.kind === "define" ? [`alignas(16) ${type} ${name}[${lanes}];`] : [];
  return [...declared, "{", ...indented([...lines, ...sets]), "}"];
}

/** Lines that load the runs in a value as a whole, and the context in which its lanes are taken from them. */
function loadedRuns(value: Expr, context: StatementContext): { lines: Lines; inner: CudaContext } {
  const loaded = new Map(context.loaded);
  const lines = vectorLoadsIn(value, (load) => context.loaded.has(load)).flatMap(({ load, start, ways }) => {
    const move = cudaMove(lanesOf(load) * bytesOfElement(load.dtype));
    const name = context.fresh("run");
    loaded.set(load, name);
    const moved = `*(${move} *)${name} = *(const ${move} *)${addressOf(load.buffer, start, context)};`;
    return [
      `alignas(16) ${cudaType[load.dtype]} ${name}[${lanesOf(load)}];`,
      ways === null ? moved : `if (${conditionOf(ways, context)}) ${moved}`,
    ];
  });
  return { lines, inner: { ...context, loaded } };
}

/** Says when one of several ways is chosen. */
function conditionOf(ways: readonly (readonly Choice[])[], context: StatementContext): string {
  const textOf = ({ condition, side }: Choice): string =>
    `${side === "else" ? "!" : ""}${cudaExpr(condition, null, { ...context, wraps: false })}`;
  return ways.map((chosen) => chosen.map(textOf).join(" && ")).join(" || ");
}
