// Scalar loads of neighbours in memory, which statements that follow each other make one by one → one load of them all, where they begin at a
// multiple of their size. NVIDIA's compilers cannot do so by themselves: a parameter says nothing of how its memory is aligned.
//
//     x0 = X[i * 4]; x1 = X[i * 4 + 1]; …    →    float run[4]; *(uint4 *)run = *(const uint4 *)&X[i * 4];

import { type Affine, fromAffine, termsKey, toAffine } from "../../../ir/affine.ts";
import type { Expr, Load, Stmt } from "../../../ir/loop-ir.ts";
import { lanesOf, ownExprs, someExpr, walkOwnExprs } from "../../../ir/visit.ts";
import { isPlain } from "../../straight-lines.ts";
import { isMultiple } from "./aligned-run.ts";
import { walkChosen } from "./chosen.ts";
import { bytesOfElement } from "./elements.ts";
import type { KernelFacts } from "./kernel-facts.ts";

/** Bytes of the largest move, and of the smallest that is worth one. */
const [mostBytes, leastBytes] = [16, 4];

/** Loads of neighbours that are one load. */
export interface Run {
  readonly buffer: string;
  readonly dtype: Load["dtype"];
  /** Index of the first element. */
  readonly start: Affine;
  /** Loads of each element, in order. */
  readonly elements: readonly (readonly Load[])[];
}

/** A part of a straight line: a run to load, or a statement, whose loads of runs that came before are the elements of these. */
export type LineStep = { readonly run: Run } | { readonly stmt: Stmt };

/** Statements of a straight line, each with the runs that it is the first to read before it. */
export function withGatheredLoads(stmts: readonly Stmt[], facts: Pick<KernelFacts, "global">): readonly LineStep[] {
  const runs = stmts.every(isPlain) ? runsIn(stmts, facts) : [];
  const runOf = new Map<Expr, Run>(runs.flatMap((run) => run.elements.flat().map((load) => [load, run] as const)));
  const loaded = new Set<Run>();
  return stmts.flatMap((stmt): readonly LineStep[] => {
    const before: LineStep[] = [];
    if (runs.length > 0) {
      walkOwnExprs(stmt, (expr) => {
        const run = runOf.get(expr);
        if (!run || loaded.has(run)) return;
        loaded.add(run);
        before.push({ run });
      });
    }
    return [...before, { stmt }];
  });
}

interface Neighbours {
  readonly buffer: string;
  readonly dtype: Load["dtype"];
  /** Loads, and whether one of them is made whatever the data are, by the constant of their index. */
  readonly at: Map<number, { readonly index: Affine; readonly loads: Load[]; isSure: boolean }>;
}

function runsIn(stmts: readonly Stmt[], facts: Pick<KernelFacts, "global">): readonly Run[] {
  const known = new Map<string, Neighbours>();
  const note = (load: Load, isSure: boolean): void => {
    if (!facts.global.has(load.buffer) || load.active || lanesOf(load) > 1 || isLate(load.indices[0]!)) return;
    const index = toAffine(load.indices[0]!);
    const key = `${load.buffer} ${termsKey(index.terms)}`;
    const neighbours = known.get(key) ?? { buffer: load.buffer, dtype: load.dtype, at: new Map() };
    known.set(key, neighbours);
    const element = neighbours.at.get(index.constant) ?? { index, loads: [], isSure: false };
    neighbours.at.set(index.constant, element);
    element.loads.push(load);
    element.isSure ||= isSure;
  };
  for (const stmt of stmts)
    for (const expr of ownExprs(stmt))
      walkChosen(expr, (each, chosen) => {
        if (each.kind === "load") note(each, chosen.length === 0);
      });
  return [...known.values()].flatMap(runsOf);
}

/** Says whether an index is of values that statements compute: it is not known before them. */
const isLate = (index: Expr): boolean => someExpr(index, ({ kind }) => kind === "local" || kind === "load");

/** The largest runs whose elements are all loaded in any case. */
function runsOf({ buffer, dtype, at }: Neighbours): readonly Run[] {
  const bytes = bytesOfElement(dtype);
  const taken = new Set<number>();
  const runs: Run[] = [];
  for (let size = mostBytes; size >= Math.max(leastBytes, 2 * bytes); size /= 2) {
    const count = size / bytes;
    for (const [constant, { index }] of at) {
      const places = Array.from({ length: count }, (_, each) => constant + each);
      const isRun = places.every((place) => at.get(place)?.isSure && !taken.has(place));
      if (!isRun || !isMultiple(fromAffine(index), count)) continue;
      for (const place of places) taken.add(place);
      runs.push({ buffer, dtype, start: index, elements: places.map((place) => at.get(place)!.loads) });
    }
  }
  return runs;
}
