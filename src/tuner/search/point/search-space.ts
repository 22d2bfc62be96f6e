// A space made ready for searching: its templates with their solvers, the features, the prior.
// Space → SearchSpace; candidates ↔ points.

import type { Assignment } from "../../../compiler/index.ts";
import type { Term } from "../../constraint/constraint.ts";
import { type CompiledModel, compileModel } from "../../constraint/solver/compile.ts";
import { complete, keysOf } from "../../constraint/solver/complete.ts";
import { type SampleOptions, type SampleResult, sample } from "../../constraint/solver/sample.ts";
import { termsOf } from "../../constraint/terms.ts";
import { type FeatureExtractor, variableFeatures } from "../../cost-model/features.ts";
import type { Candidate, Prior, Space, Template } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";

/** Draws one solution of a model; the propagation sampler, or z3. */
export type Sampler = (compiled: CompiledModel, rng: Rng, options: SampleOptions) => SampleResult;

export interface SearchTemplate {
  readonly template: Template;
  readonly compiled: CompiledModel;
  /** Key variables that share a constraint with each key variable: a change of it may need a change of theirs. */
  readonly related: ReadonlyMap<string, readonly string[]>;
}

export interface SearchSpace {
  /** Templates that have solutions, as far as propagation tells. */
  readonly templates: readonly SearchTemplate[];
  /** Extracts what the cost model sees of a point. */
  readonly features: FeatureExtractor;
  /** Predicts times, by way of `priorNs`. Null: no template's time is predicted. */
  readonly prior: Prior | null;
  readonly sampler: Sampler;
  /** Mutators of a user's, which the strategies that mutate take in place of ours; none: ours. */
  readonly mutators?: readonly Mutator[] | undefined;
}

/**
 * A small change of a candidate, one of those that an evolution draws from.
 *
 * @example
 * const double: Mutator = {
 *   name: "double the rows", weight: 0.5,
 *   mutate: (space, { candidate: { template, assignment } }) => ({ template, assignment: { ...assignment, rows: 2 * assignment.rows! } }),
 * };
 */
export interface Mutator {
  readonly name: string;
  /** Weight in the draw, beside those of the other mutators: a positive number. */
  readonly weight: number;
  /**
   * Returns another point of the space or a candidate, which counts as none where it breaks the constraints; null: nothing can
   * be changed. The same arguments and generator state give the same.
   */
  readonly mutate: (space: SearchSpace, point: Point, rng: Rng) => Point | Candidate | null;
}

/** A candidate with the values of all variables, derived ones too. */
export interface Point {
  readonly template: SearchTemplate;
  readonly assignment: Assignment;
  readonly candidate: Candidate;
  /** Key of the candidate: equal for equal candidates. */
  readonly key: string;
}

export interface SearchSpaceOptions {
  readonly prior?: Prior;
  readonly sampler?: Sampler;
  /** Features that the cost model sees; default: the constraint variables. */
  readonly features?: (templates: readonly Template[]) => FeatureExtractor;
  /** Mutators in place of ours. */
  readonly mutators?: readonly Mutator[] | undefined;
}

/** Prepares a space for searching. Templates without a solution are left out; `explain` says why of each model. */
export function searchSpace(
  space: Space,
  { prior, sampler = sample, features = variableFeatures, mutators }: SearchSpaceOptions = {},
): SearchSpace {
  const compiled = space.templates.map(
    (template): SearchTemplate => ({
      template,
      compiled: compileModel(template.model),
      related: relatedKeys(template),
    }),
  );
  const templates = compiled.filter((one) => one.compiled.feasible);
  const extractor = features(templates.map(({ template }) => template));
  return { templates, features: extractor, prior: prior ?? null, sampler, ...(mutators && { mutators }) };
}

/** Returns the template's name, then the key variables by name with their values. */
export function candidateKey({ template, assignment }: Candidate): string {
  const names = Object.keys(assignment).sort();
  return `${template}|${names.map((name) => `${name}=${assignment[name]}`).join(",")}`;
}

/** Makes a point of values of all variables. */
export function pointOf(template: SearchTemplate, assignment: Assignment): Point {
  const candidate = { template: template.template.name, assignment: keysOf(template.compiled, assignment) };
  return { template, assignment, candidate, key: candidateKey(candidate) };
}

/**
 * Completes a candidate's key variables to a point. Null: the space does not hold the candidate, which may come from an
 * older one.
 */
export function findPoint(space: SearchSpace, candidate: Candidate): Point | null {
  const template = space.templates.find((one) => one.template.name === candidate.template);
  if (!template) return null;
  const keys = template.template.model.variables.filter(({ key }) => key);
  if (keys.some(({ name }) => candidate.assignment[name] === undefined)) return null;
  const assignment = complete(template.compiled, candidate.assignment);
  return assignment && pointOf(template, assignment);
}

/** Draws a point of the template, or returns null where the sampler finds none. */
export function drawPoint(
  space: SearchSpace,
  template: SearchTemplate,
  rng: Rng,
  options: SampleOptions,
): Point | null {
  const result = space.sampler(template.compiled, rng, options);
  return result.kind === "found" ? pointOf(template, result.assignment) : null;
}

function relatedKeys({ model }: Template): ReadonlyMap<string, readonly string[]> {
  const related = new Map<Term, Set<string>>();
  for (const { name, key } of model.variables) if (key) related.set(name, new Set());
  for (const constraint of model.constraints) {
    const keys = termsOf(constraint).filter((term) => typeof term === "string" && related.has(term)) as string[];
    for (const one of keys) for (const other of keys) if (one !== other) related.get(one)!.add(other);
  }
  return new Map([...related].map(([name, others]) => [String(name), [...others]]));
}
