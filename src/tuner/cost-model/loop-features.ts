// Features of a scheduled operator, as in Ansor's models: features of every store, summed and maximised over the stores
// into one row of fixed length. Scheduled loop IR → row; nothing of the operator's names or sizes is a column.
//
// The features are of the scheduled form, not the lowered one: there a store is a block and an unrolled loop has a mark. A row
// takes a replay of the trace, some milliseconds: for shortlists, not for thousands of candidates.

import {
  type Block,
  type For,
  fromCompute,
  type LoopFunc,
  replay,
  type Stmt,
  type Target,
} from "../../compiler/index.ts";
import type { Space } from "../data/space.ts";
import { candidateTrace } from "../kernel/candidate-kernel.ts";
import { steadyLog2 } from "../support/steady.ts";
import { extractor, type FeatureExtractor, type FeaturePoint } from "./features.ts";
import { storeColumns, storeFeatures } from "./store-features.ts";

export const loopColumns: readonly string[] = [
  "stores",
  ...storeColumns.map((column) => `sum of ${column}`),
  ...storeColumns.map((column) => `most ${column}`),
];

/** Computes a nest's row. Each amount is log₂(1 + amount), since amounts span many octaves. */
export function loopFeatures(nest: LoopFunc): Float64Array {
  const stores = storesIn(nest.body, []).map(({ block, loops }) => storeFeatures(block, loops, nest));
  const column = (at: number): readonly number[] => stores.map((store) => store[at]!);
  const sums = storeColumns.map((_, at) => column(at).reduce((sum, value) => sum + value, 0));
  const most = storeColumns.map((_, at) => Math.max(0, ...column(at)));
  return Float64Array.from([stores.length, ...sums, ...most], (amount) => steadyLog2(1 + amount));
}

interface StoreUnderLoops {
  readonly block: Block;
  readonly loops: readonly For[];
}

function storesIn(stmt: Stmt, loops: readonly For[]): readonly StoreUnderLoops[] {
  switch (stmt.kind) {
    case "block":
      return [{ block: stmt, loops }];
    case "for":
      return storesIn(stmt.body, [...loops, stmt]);
    case "seq":
      return stmt.body.flatMap((each) => storesIn(each, loops));
    case "if":
      return [...storesIn(stmt.then, loops), ...(stmt.else ? storesIn(stmt.else, loops) : [])];
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
      return [];
  }
}

/** Makes the extractor for a space's candidates. Each is scheduled once; one that proves illegal has a row of 0s. */
export function loopExtractor(space: Space, intrinsics?: Target["intrinsics"]): FeatureExtractor {
  const rows = new WeakMap<FeaturePoint["assignment"], Float64Array>();
  return extractor(loopColumns, ({ template: { template }, assignment }) => {
    const known = rows.get(assignment);
    if (known) return known;
    const trace = candidateTrace(space, { template: template.name, assignment });
    const result = trace && replay(fromCompute(template.op), trace, intrinsics);
    const row = result?.kind === "ok" ? loopFeatures(result.nest) : new Float64Array(loopColumns.length);
    rows.set(assignment, row);
    return row;
  });
}
