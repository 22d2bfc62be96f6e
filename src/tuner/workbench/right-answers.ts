// The right answers of an operator: ComputeDef, input arrays → output arrays, the bits of the reference. It goes stage by
// stage. A long stage of plain arithmetic is computed by a WASM kernel under strict numerics, which gives the same bits as
// the reference loops in a twentieth of their time and is held against the interpreter at some elements; all others by the
// reference loops in JavaScript.

import {
  arrayTypes,
  byteSize,
  type ComputeDef,
  compileJs,
  elementsOf,
  expandedOps,
  invariant,
  kernelParameters,
  readsIn,
  referenceLoops,
  type ScalarExpr,
  type Stage,
  stageFacts,
  type TensorDecl,
  type TypedArray,
  targets,
} from "../../compiler/index.ts";
import { type LocalKernel, openHere } from "../../native/backend/open-here.ts";
import type { TuningTask } from "../data/task.ts";
import { candidateKernel } from "../kernel/candidate-kernel.ts";
import { guess } from "../search/predict.ts";
import { generateSpace } from "../space/generate.ts";

type Arrays = Readonly<Record<string, TypedArray>>;

/** Computes an operator's outputs, each a new array, in order. */
export function rightAnswers(op: ComputeDef, inputs: readonly TypedArray[]): readonly TypedArray[] {
  const known: Record<string, TypedArray> = Object.fromEntries(op.inputs.map(({ name }, at) => [name, inputs[at]!]));
  const declared = new Map<string, TensorDecl>(op.inputs.map((input) => [input.name, input]));
  for (const stage of op.stages) {
    known[stage.name] = answersOf(alone(op, stage, declared), known);
    const shape = stage.axes.map(({ extent }) => extent);
    declared.set(stage.name, { name: stage.name, shape, dtype: stage.dtype, loc: null });
  }
  return op.outputs.map((name) => known[name]!);
}

/** Makes the operator that computes just this stage, from what it reads. */
function alone({ name, parameters }: ComputeDef, stage: Stage, declared: ReadonlyMap<string, TensorDecl>): ComputeDef {
  const read = new Set(readsIn(stage.body).map(({ tensor }) => tensor));
  const inputs = [...read].map((tensor) => declared.get(tensor)!);
  return { name, parameters, inputs, stages: [stage], outputs: [stage.name] };
}

/** Fewest operations of a stage for which a kernel pays: with fewer the loops are as fast as making one. */
const manyOperations = 2e7;

/**
 * Returns the least milliseconds that the right answers take: a kernel does an operation in a nanosecond or less, loops in
 * JavaScript in some three, with functions in some ten.
 */
export const leastAnswerMs = ({ stages }: ComputeDef): number =>
  stages.reduce((total, stage) => total + stageFacts(stage).flops * (isPlain(stage.body) ? 2e-7 : 2e-6), 0);

function answersOf(op: ComputeDef, known: Arrays): TypedArray {
  const [stage] = op.stages as readonly [Stage];
  const { dtype, length } = kernelParameters(op).find(({ role }) => role === "output")!;
  const answers = new arrayTypes[dtype](length);
  const inputs = op.inputs.map(({ name }) => known[name]!);
  const kernel = stageFacts(stage).flops >= manyOperations && isPlain(stage.body) ? strictKernel(op) : null;
  if (!kernel) {
    compileJs(referenceLoops(op))(...inputs, answers);
    return answers;
  }
  const views = kernel.buffers();
  inputs.forEach((input, at) => {
    views[at]!.set(input);
  });
  kernel.run();
  answers.set(views[inputs.length]!);
  spotCheck(op, known, answers);
  return answers;
}

/** Says whether the expression is the same to the bit in every back end. */
function isPlain(expr: ScalarExpr): boolean {
  switch (expr.kind) {
    case "const":
    case "axis":
    case "read":
      return true;
    case "unary":
      return !expandedOps.has(expr.op) && isPlain(expr.operand);
    case "binary":
      return !expandedOps.has(expr.op) && isPlain(expr.left) && isPlain(expr.right);
    case "select":
      return [expr.condition, expr.then, expr.else].every(isPlain);
    case "cast":
      return isPlain(expr.operand);
  }
}

/** Makes the stage's kernel. Null: the rules find no schedule, or the arrays do not fit a WASM memory. */
function strictKernel(op: ComputeDef): LocalKernel | null {
  const task: TuningTask = { op, target: targets.wasm, numerics: "strict", threads: 1 };
  const bytes = kernelParameters(op).reduce((sum, it) => sum + it.length * byteSize[it.dtype], 0);
  const space = generateSpace(task);
  const candidate = bytes <= mostBytes ? guess(space) : null;
  const kernel = candidate && candidateKernel(task, space, candidate);
  return kernel?.kind === "ok" ? openHere(kernel.source) : null;
}

const mostBytes = 2 ** 30;

/** Most iterations of the interpreter for a check: 0.1 s. */
const spotIterations = 200_000;
const mostSpots = 64;

/** Checks some elements: the first, the last, where tails are, and others spread between them. */
function spotCheck(op: ComputeDef, known: Arrays, answers: TypedArray): void {
  const [stage] = op.stages as readonly [Stage];
  const perElement = stageFacts(stage).iterations / answers.length;
  const spots = Math.min(mostSpots, Math.max(2, Math.floor(spotIterations / perElement)));
  const element = elementsOf(op, known);
  for (let spot = 0; spot < spots; spot++) {
    const at = Math.round((spot * (answers.length - 1)) / (spots - 1));
    const wanted = element(at);
    invariant(
      Object.is(answers[at], wanted),
      `the strict kernel gives ${answers[at]} for element ${at} of ${stage.name}, the interpreter ${wanted}`,
    );
  }
}
