// A round of the sweep: an operator with extents of its own, right answers to its inputs, and schedules of some templates of its space,
// each generated as a build does.

import { codeGeneratorOf } from "../../../src/compiler/backend/code-generators.ts";
import { kernelName } from "../../../src/compiler/codegen/kernel-name.ts";
import {
  type AcceleratorTarget,
  type Assignment,
  type ComputeDef,
  type CudaSource,
  fromCompute,
  instantiateTemplate,
  type LoopFunc,
  printDiagnostic,
  printTrace,
  replay,
  type Trace,
  type WgslSource,
  webgpu,
} from "../../../src/compiler/index.ts";
import { runPasses } from "../../../src/compiler/lower/pipeline.ts";
import { DiagnosticError } from "../../../src/compiler/support/diagnostic.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { type Reference, referenceOf } from "../../support/reference.ts";
import { conditioned } from "../../support/webgpu-schedules.ts";
import { operatorOfRound, type SweptOperator } from "./operators.ts";

/** Templates of an operator that a round has schedules of: attention has dozens. */
const mostTemplates = 6;

export interface SweptSchedule {
  readonly template: string;
  /** Text of the trace. */
  readonly text: string;
  /** Values of all variables of the space; null: none was drawn. */
  readonly assignment: Assignment | null;
  /** The function that is printed, and what is printed. Text: why there are none. */
  readonly kernel: { readonly flat: LoopFunc; readonly source: WgslSource | CudaSource } | string;
}

export interface Round {
  /** Null: the operator is too large. */
  readonly reference: Reference | null;
  readonly schedules: readonly SweptSchedule[];
}

export interface Drawing {
  /** Default: webgpu. */
  readonly target?: AcceleratorTarget;
  /** Schedules that are wanted, about, from 6 on. */
  readonly wanted?: number;
}

/** Draws schedules. Null: there is nothing to draw in this round. */
export function drawRound(
  operator: SweptOperator,
  seed: number,
  round: number,
  { target = webgpu, wanted = 12 }: Drawing = {},
): Round | null {
  const { op, rng } = operatorOfRound(operator, seed, round);
  if (!op) return null;
  if (codeGeneratorOf(target).cannotCompute?.(op, "fast")) return null;
  const reference = operator.isLarge ? null : conditioned(referenceOf(op, rng));
  const space = generateSpace({ op, target, numerics: "fast", threads: 1 });
  const { templates } = space;
  const chosen = rng.shuffle([...templates]).slice(0, mostTemplates);
  const each = Math.ceil(wanted / chosen.length);
  const schedules = chosen.flatMap(({ name, model, instructions, op: computed }): readonly SweptSchedule[] => {
    const compiled = compileModel(model);
    const drawn = new Map<string, SweptSchedule>();
    for (let at = 0; at < each; at++) {
      const point = sample(compiled, rng);
      if (point.kind !== "found") return [undrawn(name, `no point, ${point.kind}`)];
      const trace = instantiateTemplate(instructions, point.assignment);
      const text = printTrace(trace);
      if (drawn.has(text)) continue;
      const kernel = kernelOf(computed, kernelName(op, target), target, trace);
      drawn.set(text, { template: name, text, assignment: point.assignment, kernel });
    }
    return [...drawn.values()];
  });
  return { reference, schedules: operator.isLarge ? [...schedules, predicted(space, op, target)] : schedules };
}

/** The schedule that is built where nothing is measured. */
function predicted(space: GeneratedSpace, op: ComputeDef, target: AcceleratorTarget): SweptSchedule {
  const candidate = predict(space);
  if (!candidate) return undrawn("predicted", "the prior has no choice");
  const { name, instructions, op: computed } = space.templates.find((it) => it.name === candidate.template)!;
  const trace = instantiateTemplate(instructions, candidate.assignment);
  const kernel = kernelOf(computed, kernelName(op, target), target, trace);
  return { template: name, text: printTrace(trace), assignment: null, kernel };
}

const undrawn = (template: string, kernel: string): SweptSchedule => ({ template, text: "", assignment: null, kernel });

function kernelOf(op: ComputeDef, name: string, target: AcceleratorTarget, trace: Trace): SweptSchedule["kernel"] {
  const options = { target, numerics: "fast", verify: true } as const;
  const generator = codeGeneratorOf(target);
  try {
    const scheduled = replay(fromCompute(op, name), trace, target.intrinsics);
    if (scheduled.kind === "illegal") return printDiagnostic(scheduled.diagnostic);
    const flat = runPasses(scheduled.nest, generator.passes, options);
    const source = generator.generate(flat, { ...options, relaxed: false }) as WgslSource | CudaSource;
    return (source.kind === "wgsl" ? cutVector(source) : null) ?? { flat, source };
  } catch (error) {
    return error instanceof DiagnosticError ? printDiagnostic(error.diagnostic) : `${(error as Error).stack}`;
  }
}

/** Arrays that are taken as vectors, whose last one is cut: a buffer of somebody else's ends where its array does. Null: there are none. */
function cutVector({ text, parameters }: WgslSource): string | null {
  for (const [, number, width] of text.matchAll(/@binding\((\d+)\) var<storage, \w+> \w+: array<vec(\d)</g)) {
    const parameter = parameters[Number(number)];
    if (parameter && parameter.length % Number(width) !== 0) {
      return `${parameter.name} has ${parameter.length} elements, and is taken as vectors of ${width}`;
    }
  }
  return null;
}
