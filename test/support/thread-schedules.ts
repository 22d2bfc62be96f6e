// Schedules of the spaces of GPUs without tensor cores, lowered pass by pass and held against the reference. The interpreter runs the
// threads of a group beside each other, the last one first, so that no GPU is needed to see a barrier missing.

import {
  type AcceleratorTarget,
  type Assignment,
  type ComputeDef,
  fromCompute,
  instantiateTemplate,
  type LoopFunc,
  type Numerics,
  printDiagnostic,
  printTrace,
  replay,
  type Trace,
  webgpu,
} from "../../src/compiler/index.ts";
import type { Expr, Stmt } from "../../src/compiler/ir/loop-ir.ts";
import { isThreadLoop } from "../../src/compiler/ir/thread-axes.ts";
import { substituteStmt, walkStmt } from "../../src/compiler/ir/visit.ts";
import { runPasses, threadPasses } from "../../src/compiler/lower/pipeline.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../src/tuner/data/space.ts";
import { direct } from "../../src/tuner/space/algorithm/direct.ts";
import type { SpaceRule } from "../../src/tuner/space/draft/space-rule.ts";
import { printEmptySpace } from "../../src/tuner/space/explain-space.ts";
import { type GeneratedSpace, generateSpace } from "../../src/tuner/space/generate.ts";
import { threadTileRules } from "../../src/tuner/space/thread-tiles/rules.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { type Reference, wrongAccesses, wrongNest } from "./reference.ts";

export const threadSpace = (
  op: ComputeDef,
  numerics: Numerics = "fast",
  target: AcceleratorTarget = webgpu,
): GeneratedSpace =>
  generateSpace(
    { op, target, numerics, threads: 1 },
    threadTileRules as readonly SpaceRule<never>[],
    ["generated"],
    [direct],
  );

export interface DrawnSchedule {
  readonly template: string;
  readonly assignment: Assignment;
  readonly trace: Trace;
}

/** Draws schedules of a template. */
export function drawSchedules(template: Template, count: number, seed: number): readonly DrawnSchedule[] {
  const [compiled, rng] = [compileModel(template.model), createRng(seed)];
  return Array.from({ length: count }, () => {
    const point = sample(compiled, rng);
    if (point.kind !== "found") throw new Error(printEmptySpace({ templates: [template] }));
    const { assignment } = point;
    return { template: template.name, assignment, trace: instantiateTemplate(template.instructions, assignment) };
  });
}

export const describeSchedule = ({ template, assignment, trace }: DrawnSchedule): string =>
  `${template}\n${JSON.stringify(assignment)}\n${printTrace(trace)}`;

/** Replays a schedule. @throws Error if it is illegal: those of a space never are */
export function scheduled(op: ComputeDef, drawn: DrawnSchedule): LoopFunc {
  const result = replay(fromCompute(op), drawn.trace);
  if (result.kind === "ok") return result.nest;
  throw new Error(`${printDiagnostic(result.diagnostic)}\n${describeSchedule(drawn)}`);
}

/** Brings a schedule into the form that code generators for threads read. */
export const loweredThreads = (
  op: ComputeDef,
  drawn: DrawnSchedule,
  numerics: Numerics = "fast",
  target: AcceleratorTarget = webgpu,
): LoopFunc => runPasses(scheduled(op, drawn), threadPasses, { target, numerics });

/** Returns the first mistake in what a schedule computes, after any pass, or in what its threads access in the end; null: there is none. */
export function wrongThreads(
  reference: Reference,
  drawn: DrawnSchedule,
  numerics: Numerics = "fast",
  target: AcceleratorTarget = webgpu,
): string | null {
  let [wrong, before]: [string | null, LoopFunc | null] = [null, null];
  const described = (where: string, what: string): string => `${where}: ${what}\n${describeSchedule(drawn)}`;
  const dump = (pass: string, func: LoopFunc): void => {
    if (wrong !== null || func === before) return;
    before = func;
    const found = wrongNest(reference, func) ?? (waits(func) ? wrongNest(reference, mirrored(func)) : null);
    if (found !== null) wrong = described(`after ${pass}`, found);
  };
  try {
    const func = runPasses(scheduled(reference.op, drawn), threadPasses, { target, numerics, dump });
    const met = wrong === null ? wrongAccesses(reference, func) : null;
    if (met !== null) wrong = described("accesses", met);
  } catch (error) {
    return `${(error as Error).message}\n${describeSchedule(drawn)}`;
  }
  return wrong;
}

/** Says whether threads wait for each other: the order in which they run matters nowhere else. */
function waits(func: LoopFunc): boolean {
  let isFound = false;
  walkStmt(func.body, ({ kind }) => {
    isFound ||= kind === "sync";
  });
  return isFound;
}

/**
 * The function whose threads are counted backwards. The interpreter runs the last one first: where the first has to wait for others, this
 * finds it.
 */
export function mirrored(func: LoopFunc): LoopFunc {
  const visit = (stmt: Stmt): Stmt => {
    if (stmt.kind === "seq") return { ...stmt, body: stmt.body.map(visit) };
    if (stmt.kind !== "for" || !isThreadLoop(stmt) || stmt.name !== stmt.mark) return stmt;
    const body = visit(stmt.body);
    if (!stmt.name.startsWith("threadIdx.")) return { ...stmt, body };
    const last: Expr = { kind: "const", dtype: "i32", value: stmt.extent - 1 };
    const thread: Expr = { kind: "var", dtype: "i32", name: stmt.name };
    const place: Expr = { kind: "binary", dtype: "i32", op: "sub", left: last, right: thread };
    return { ...stmt, body: substituteStmt(body, new Map([[stmt.name, place]])) };
  };
  return { ...func, body: visit(func.body) };
}

/** Bytes of the memory of groups that a lowered function has: a word an element, however narrow. */
export const groupBytesIn = ({ buffers }: LoopFunc): number =>
  buffers
    .filter(({ memory }) => memory === "group")
    .reduce((bytes, { shape }) => bytes + 4 * shape.reduce((all, it) => all * it, 1), 0);
