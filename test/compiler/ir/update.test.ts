// All nodes of a kind have one hidden class, wherever they were made: what keeps the passes fast (src/compiler/ir/update.ts).

import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { lower } from "../../../src/compiler/backend/lower.ts";
import { instantiate, opLibrary, targets } from "../../../src/compiler/index.ts";
import { fromCompute } from "../../../src/compiler/ir/from-compute.ts";
import type { Expr, LoopFunc, Stmt } from "../../../src/compiler/ir/loop-ir.ts";
import { walkStmt } from "../../../src/compiler/ir/visit.ts";
import { schedule } from "../../../src/compiler/schedule/replay/replay.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateTemplate, candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { drawPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

type Node = Expr | Stmt;

setFlagsFromString("--allow-natives-syntax");
const haveSameClass = new Function("a", "b", "return %HaveSameMap(a, b)") as (a: object, b: object) => boolean;

const { conv2d } = opLibrary;
const op = instantiate(
  conv2d({ H: 9, W: 11, C: 5, F: 19, padding: 1 }, { bias: true, activation: "relu" }),
  {},
  "test",
);

/** Shows `visit` every node of a candidate of each template, as scheduled and after every pass. */
function eachNode(target: (typeof targets)["avx2"], visit: (node: Node) => void): void {
  const task: TuningTask = { op, target, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const search = searchSpace(space);
  const visitFunc = ({ body }: LoopFunc): void => walkStmt(body, visit, visit);
  for (const template of search.templates) {
    const { candidate } = drawPoint(search, template, createRng(1), {})!;
    const nest = schedule(fromCompute(candidateTemplate(space, candidate)!.op), candidateTrace(space, candidate)!);
    visitFunc(nest);
    lower(nest, { target, numerics: "fast", verify: false, dump: (_, func) => visitFunc(func) });
  }
}

test.each(["avx2", "wasm"] as const)("nodes of a kind have one hidden class: %s", (target) => {
  // V8 learns the types of the properties meanwhile, and makes new classes of the old ones.
  for (let round = 0; round < 2; round++) eachNode(targets[target], () => undefined);
  const classes = new Map<string, Node[]>();
  eachNode(targets[target], (node) => {
    const known = classes.get(node.kind) ?? [];
    if (!known.some((each) => haveSameClass(each, node))) classes.set(node.kind, [...known, node]);
  });
  expect(classes.size).toBeGreaterThan(10);
  const counts = [...classes].map(([kind, known]) => [kind, known.length]);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries([...classes.keys()].map((kind) => [kind, 1])));
});
