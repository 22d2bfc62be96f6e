// One cell of docs/operators.md: an operator in one type on one target. Its shapes are tuned with a small budget, and the
// result of the winner is held against the plain loops; what cannot be measured here is predicted, built and checked.

import {
  type ComputeDef,
  codegenVersion,
  digestOf,
  factsOf,
  instantiate,
  isCSource,
  isWasmSource,
  type Target,
  type TypedArray,
  targets,
} from "../../../src/compiler/index.ts";
import { loadWasm, type KernelArray as MemoryArray } from "../../../src/native/load/load-wasm.ts";
import { nowMs } from "../../../src/native/machine/clock.ts";
import { hostTarget } from "../../../src/native/machine/machine.ts";
import { expectOutput } from "../../../src/native/runner/compare.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { Budget, TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { memoryDatabase } from "../../../src/tuner/record/database.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { tune } from "../../../src/tuner/tuning/tune.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { createWorkbench } from "../../../src/tuner/workbench/workbench.ts";
import type { Measured } from "../../bench/provenance.ts";
import { compileAll, inTempDir, toolchain } from "../../native/compiled.ts";
import { allowedError, worstError } from "../library/against-plain.ts";
import {
  type LibraryInstance,
  type LibraryOperator,
  operandTypes,
  type Parameters,
  type TypeName,
  titleOf,
} from "../library/library-operator.ts";
import { avx512On2 } from "../random-schedule.ts";

/** `avx512` kernels run here as 64-byte vectors in two halves: right or wrong can be told, fast or slow cannot. */
export const tableTargets = ["avx2", "wasm", "avx512"] as const;
export type TableTarget = (typeof tableTargets)[number];

export interface ShapeResult {
  readonly parameters: Parameters;
  /** Error of the winner against plain loops, relative to the largest result; null: there was no winner. */
  readonly error: number | null;
  readonly allowed: number;
  /** Null: predicted, not measured. */
  readonly gflops: number | null;
  /** Candidates measured, and what the others came to. */
  readonly measured: number;
  readonly failures: readonly string[];
}

export interface Cell extends Measured {
  readonly operator: string;
  readonly target: TableTarget;
  readonly type: TypeName;
  /** Digests of the operator's expressions: with another one the cell is run again, as it is with another code generator. */
  readonly key: string;
  /** Versions of the code generators that made the kernels. */
  readonly codegen: string;
  readonly shapes: readonly ShapeResult[];
  /** How often the cell was run, as it is read. */
  readonly attempts?: number;
}

export interface CellOf {
  readonly operator: LibraryOperator;
  readonly target: TableTarget;
  readonly type: TypeName;
}

const defOf = (instance: LibraryInstance, type: TypeName, name: string): ComputeDef =>
  instantiate(instance.op(operandTypes(type)), {}, name);

export const cellKey = ({ operator, type }: CellOf): string =>
  operator.shapes.map((shape) => digestOf(defOf(shape, type, operator.name)).slice(0, 8)).join("-");

export async function runCell(of: CellOf, budget: Budget): Promise<Cell> {
  const { operator, target, type } = of;
  const shapes: ShapeResult[] = [];
  for (const instance of operator.shapes) shapes.push(await runShape(of, instance, budget));
  return { operator: titleOf(operator), target, type, key: cellKey(of), codegen: codegenVersion, shapes };
}

/** Tunes, or predicts, one shape, and checks what came of it. */
export async function runShape(
  { operator, target, type }: CellOf,
  instance: LibraryInstance,
  budget: Budget,
): Promise<ShapeResult> {
  const op = defOf(instance, type, operator.name);
  const machine: Target = target === "avx512" ? avx512On2 : target === "wasm" ? targets.wasm : hostTarget("avx2");
  const task: TuningTask = { op, target: machine, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const found = target === "avx512" ? predicted(space) : await tuned(task, space, budget);
  const error = found.winner && (await errorOf(task, space, found.winner, instance));
  return {
    parameters: instance.parameters,
    error,
    allowed: allowedError(op),
    gflops: found.medianNs === null ? null : factsOf(op).flops / found.medianNs,
    measured: found.measured,
    failures: found.failures,
  };
}

interface Found {
  readonly winner: Candidate | null;
  readonly medianNs: number | null;
  readonly measured: number;
  readonly failures: readonly string[];
}

function predicted(space: GeneratedSpace): Found {
  const winner = predict(space);
  return { winner, medianNs: null, measured: 0, failures: winner ? [] : ["the space is empty"] };
}

const tuned = (task: TuningTask, space: GeneratedSpace, budget: Budget): Promise<Found> =>
  inTempDir(async (directory) => {
    const workbench = createWorkbench({
      task: referenceTask(task),
      toolchain: task.target.backend === "c" ? toolchain : null,
      directory,
    });
    try {
      const { winner, measured, failures } = await tune(task, space, {
        budget,
        strategy: strategies.default,
        seed: 1,
        taskKey: digestOf(task.op),
        database: memoryDatabase(),
        workbench,
        clock: nowMs,
      });
      const reasons = failures.map(({ measurement }) =>
        measurement.kind === "timed-out" ? measurement.kind : `${measurement.kind}: ${measurement.reason}`,
      );
      return {
        winner: winner?.candidate ?? null,
        medianNs: winner?.medianNs ?? null,
        measured,
        failures: [...new Set(reasons)],
      };
    } finally {
      await workbench.close();
    }
  });

/** Runs the schedule on the inputs that candidates are checked with, outputs filled with what is not the answer. */
async function errorOf(
  task: TuningTask,
  space: GeneratedSpace,
  winner: Candidate,
  instance: LibraryInstance,
): Promise<number> {
  const kernel = candidateKernel(task, space, winner, { verify: true });
  if (kernel.kind === "illegal") throw new Error(kernel.diagnostic.message);
  const { parameters, inputs, expected } = referenceTask(task);
  const outputs = parameters.filter(({ role }) => role === "output");
  const arrays = outputs.map(
    (parameter, at) => expectOutput(parameter, expected[at]!.values, expected[at]!.bound).sentinel,
  );
  const { source } = kernel;
  if (isWasmSource(source)) loadWasm(source).call([...inputs, ...arrays] as readonly MemoryArray[]);
  else if (isCSource(source)) (await compileAll([source])).call(0, ...inputs, ...arrays);
  const named = (names: readonly string[], values: readonly TypedArray[]): Record<string, TypedArray> =>
    Object.fromEntries(names.map((name, at) => [name, values[at]!]));
  return worstError(
    task.op,
    instance,
    named(
      task.op.inputs.map(({ name }) => name),
      inputs,
    ),
    named(
      outputs.map(({ name }) => name),
      arrays,
    ),
  );
}
