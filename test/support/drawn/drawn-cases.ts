// Cases of the oracle chain for random operators: for each target a schedule to run, and others that have to be legal. One
// operator in five is large, and only has to be scheduled. The same seed and number give the same operator and schedules.

import { children } from "../../../src/compiler/expr/expr-visit.ts";
import {
  type ComputeDef,
  fromCompute,
  instantiateTemplate,
  type Numerics,
  printComputeDef,
  printDiagnostic,
  printTrace,
  replay,
  type Target,
  targets,
} from "../../../src/compiler/index.ts";
import { operandsFirst } from "../../../src/compiler/support/graph.ts";
import { detectMachine, missingFeatures } from "../../../src/native/machine/machine.ts";
import { checkPlan } from "../../../src/tuner/check/check-output.ts";
import { conditionedTask } from "../../../src/tuner/check/conditioning.ts";
import { exactInputLimit } from "../../../src/tuner/check/exactness.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng, type Rng } from "../../../src/tuner/support/rng.ts";
import { avx512On2, type ChainCase } from "../random-schedule.ts";
import { type Reference, type ReferenceOptions, referenceOf } from "../reference.ts";
import { type DrawnKind, type DrawnOperator, drawOperator } from "./draw-operator.ts";
import { large, small } from "./drawing.ts";

const machine = detectMachine();
const canRun = (target: Target): boolean => missingFeatures(target, machine).length === 0;

/** Every operator runs on these: AVX-512 in halves where the CPU lacks it. */
export const drawnTargets: readonly Target[] = [
  targets.wasm,
  targets.avx2,
  canRun(targets.avx512) ? targets.avx512 : avx512On2,
];

/** Instructions of their own: only where the space has them does an operator run there, or is lowered for them. */
const furtherTargets: readonly Target[] = [targets["avx512-vnni"], targets["avx512-bf16"], targets.amx];

export interface DrawnCases {
  readonly operator: string;
  /** Nodes of its expressions; a node that is used several times counts once. */
  readonly nodes: number;
  /** Cases to run. */
  readonly cases: readonly ChainCase[];
  /** Schedules that were looked at. */
  readonly schedules: number;
  /** Errors that the compiler threw, and schedules of a space that are illegal. */
  readonly failures: readonly string[];
}

/** Schedules a template whose legality is looked at. */
const samples = 2;

export function drawnCases(seed: number, number: number, kind: DrawnKind = "any"): DrawnCases {
  const rng = createRng(seed * 1_000_003 + number);
  const isLarge = number % 5 === 4;
  const drawn = drawOperator(rng, isLarge ? large : small, kind);
  const { def } = drawn;
  const numerics = numericsFor(drawn, rng);
  const constants = rng.below(3) === 0 ? def.inputs.map(({ name }) => name).filter(() => rng.below(2) === 0) : [];
  const threads = rng.below(4) === 0 ? 3 : 1;
  const fork = rng.fork();
  const reference = isLarge ? null : conditioned(referenceOf(def, fork, planFor(drawn, numerics)), numerics);
  const operator = `operator ${number} of seed ${seed}, kind ${kind}: ${numerics}, ${threads} threads, constants ${constants.join() || "none"}\n${printComputeDef(def)}`;
  const cases: ChainCase[] = [];
  const failures: string[] = [];
  let schedules = 0;
  for (const plain of [...drawnTargets, ...furtherTargets]) {
    // Registers that have to be set up are set up by each thread.
    const target = { ...plain, threads: furtherTargets.includes(plain) && rng.below(2) === 0 ? 3 : threads };
    const attempt: Attempt = { op: def, number, target, numerics, constants, reference, rng: rng.fork() };
    try {
      const found = casesFor(attempt);
      schedules += found.schedules;
      failures.push(...found.illegal.map((text) => `${target.name}: ${text}\n${operator}`));
      if (found.run) cases.push(found.run);
    } catch (error) {
      failures.push(`${target.name}: ${(error as Error).stack ?? error}\n${operator}`);
    }
  }
  return { operator, nodes: nodesOf(def), cases, schedules, failures };
}

const nodesOf = ({ stages }: ComputeDef): number =>
  stages.reduce((sum, { body }) => sum + operandsFirst(body, children).length, 0);

/** Adds the answers in f64, with which a result beyond its bound is compared as in a tuning, because operators may cancel. */
function conditioned(reference: Reference, numerics: Numerics): Reference {
  const { op, inputs, expected } = reference;
  const parameters = expected.map(({ parameter }) => parameter);
  const task = conditionedTask({ op, target: targets.wasm, numerics, threads: 1 }, { parameters, inputs, expected });
  if (!task) return reference;
  return { ...reference, expected: expected.map((it, at) => ({ ...it, exact: task.expected[at]!.exact ?? null })) };
}

/** Operators that are neither exact on integers nor smooth have to be computed strictly as the reference does. */
function numericsFor({ def, manner }: DrawnOperator, rng: Rng): Numerics {
  const isExact = manner === "exact" && exactInputLimit([def]) !== null;
  return (isExact || manner === "smooth") && rng.below(3) > 0 ? "fast" : "strict";
}

function planFor({ def, manner }: DrawnOperator, numerics: Numerics): ReferenceOptions {
  if (manner === "smooth" || exactInputLimit([def]) !== null || numerics === "fast") return checkPlan(def);
  return { values: { kind: "reals", from: -1, to: 1 }, bounds: def.outputs.map(() => ({ kind: "exact" })) };
}

interface Attempt {
  readonly op: ComputeDef;
  readonly number: number;
  readonly target: Target;
  readonly numerics: Numerics;
  readonly constants: readonly string[];
  /** Null: the operator is not run. */
  readonly reference: Reference | null;
  readonly rng: Rng;
}

interface Found {
  readonly run: ChainCase | null;
  readonly schedules: number;
  readonly illegal: readonly string[];
}

function casesFor(attempt: Attempt): Found {
  const { op, target, numerics, constants, rng } = attempt;
  const space = generateSpace({ op, target, numerics, threads: target.threads, constants });
  const isFurther = furtherTargets.some(({ name }) => name === target.name);
  const own = isFurther ? space.templates.filter(hasIntrinsic) : space.templates;
  if (own.length === 0) return { run: null, schedules: 0, illegal: [] };
  const drawn = [
    ...own.flatMap((template) => Array.from({ length: samples }, () => draw(template, rng))),
    ...(isPredicted(attempt) ? [predicted(space)] : []),
  ].filter((it) => it !== null);
  if (drawn.length === 0) return { run: null, schedules: 0, illegal: ["the space is empty"] };
  for (const { template, assignment } of drawn) space.prior(template, assignment);
  const replayed = drawn.map((it) => caseOf(attempt, it));
  const illegal = replayed.filter((it) => typeof it === "string");
  const legal = replayed.filter((it) => typeof it === "object" && it !== null);
  return { run: legal.length > 0 ? rng.pick(legal) : null, schedules: drawn.length, illegal };
}

/** The predicted schedule takes a search: it is asked for on one target of an operator in three. */
const isPredicted = ({ number, target }: Attempt): boolean => target.name === drawnTargets[number % 9]?.name;

const hasIntrinsic = ({ instructions }: Template): boolean =>
  instructions.some(({ instruction }) => instruction.kind === "tensorize");

interface DrawnSchedule {
  readonly template: Template;
  readonly assignment: Readonly<Record<string, number>>;
}

function draw(template: Template, rng: Rng): DrawnSchedule | null {
  const result = sample(compileModel(template.model), rng);
  return result.kind === "found" ? { template, assignment: result.assignment } : null;
}

function predicted(space: GeneratedSpace): DrawnSchedule | null {
  const candidate = predict(space);
  const template = candidate && space.templates.find(({ name }) => name === candidate.template);
  return template ? { template, assignment: candidate.assignment } : null;
}

/** Text: why the schedule is illegal. Null: it is legal, and nothing is run. */
function caseOf(
  { number, target, numerics, constants, reference }: Attempt,
  { template, assignment }: DrawnSchedule,
): ChainCase | string | null {
  const trace = instantiateTemplate(template.instructions, assignment);
  const result = replay(fromCompute(template.op), trace);
  if (result.kind === "illegal") return `${printDiagnostic(result.diagnostic)}\n${template.name}\n${printTrace(trace)}`;
  if (!reference) return null;
  const { op: definition, name } = template;
  const scheduled = result.nest;
  return {
    number,
    family: "drawn",
    target,
    numerics,
    reference,
    template: name,
    definition,
    trace,
    constants,
    scheduled,
  };
}
