// Wraps a user's own strategy so that the search can trust it: its proposals are candidates of the space, and its mistakes are
// reported with its name.

import {
  aFunction,
  asJson,
  aText,
  badAnswer,
  badFieldOf,
  callOwn,
  DiagnosticError,
  isAnyObject,
  isPromiseLike,
  refuse,
} from "../../compiler/index.ts";
import { explain } from "../constraint/solver/explain.ts";
import type { Candidate } from "../data/space.ts";
import { findPoint, type SearchSpace, type SearchTemplate } from "./point/search-space.ts";
import { strategies } from "./strategy/strategies.ts";
import { type Strategy, type StrategyName, strategyNames } from "./strategy/strategy.ts";

/**
 * Returns one of ours by name, or the user's own, whose answers are checked.
 *
 * @throws DiagnosticError `strategy.unknown`, `strategy.malformed`; later, when proposing, those of `ownStrategy`
 */
export function strategyOf(strategy: StrategyName | Strategy): Strategy {
  if (typeof strategy !== "string") return ownStrategy(strategy);
  if (strategyNames.includes(strategy)) return strategies[strategy];
  throw refuse("strategy.unknown", `there is no strategy "${strategy}"`, `there are ${strategyNames.join(", ")}`);
}

function ownStrategy(strategy: Strategy): Strategy {
  if (!isAnyObject(strategy) || badFieldOf(strategy, { name: aText, propose: aFunction }))
    throw refuse("strategy.malformed", "a strategy is an object with a name and a function propose", null);
  const { name } = strategy;
  return {
    name,
    propose(state, count, rng) {
      const propose = (): unknown => strategy.propose(state, count, rng);
      const answer = callOwn(`strategy "${name}"`, propose, "strategy.threw");
      return candidatesOf(name, answer).map((candidate) => checked(name, state.space, candidate));
    },
  };
}

/** @throws DiagnosticError `strategy.bad-answer` */
function candidatesOf(name: string, answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  const isPromise = isPromiseLike(answer);
  // No code awaits the promise, and its rejection must not end the process.
  if (isPromise) Promise.resolve(answer).catch(() => undefined);
  const hint = isPromise ? "what takes long is done before the tuning, or between two" : null;
  throw badAnswer(`strategy "${name}"`, answer, "a list of candidates", { code: "strategy.bad-answer", hint });
}

/**
 * Returns the candidate without other fields that its author keeps in it.
 *
 * @throws DiagnosticError `strategy.bad-candidate`, `strategy.unknown-template`
 */
function checked(name: string, space: SearchSpace, value: unknown): Candidate {
  if (!isCandidate(value))
    throw badCandidate(name, `${asJson(value)}, which is no { template, assignment } of names with whole numbers`);
  const template = space.templates.find((one) => one.template.name === value.template);
  if (!template) throw unknownTemplate(name, space, value.template);
  const problem = problemOf(template, value);
  if (problem !== null) throw badCandidate(name, `a candidate of "${value.template}" ${problem}`);
  const point = findPoint(space, value);
  if (point) return point.candidate;
  throw badCandidate(name, `a candidate of "${value.template}" that breaks its constraints`, whyNot(template, value));
}

function isCandidate(value: unknown): value is Candidate {
  if (!isAnyObject(value) || !("template" in value) || !("assignment" in value)) return false;
  const { template, assignment } = value;
  if (typeof template !== "string" || !isAnyObject(assignment)) return false;
  return Object.values(assignment).every((one) => Number.isInteger(one));
}

/** Returns why a decision is not acceptable. Null: every decision has a value of its domain, and nothing else has one. */
function problemOf({ template: { model } }: SearchTemplate, { assignment }: Candidate): string | null {
  for (const { name, domain, key } of model.variables) {
    const value = assignment[name];
    if (!key && value !== undefined) return `that says ${name}, which follows from its decisions`;
    if (!key) continue;
    if (value === undefined) return `without a value for its decision ${name}`;
    const values = domain as readonly number[];
    if (!values.includes(value)) return `with ${name} = ${value}, which is one of ${values.join(", ")}`;
  }
  const known = new Set(model.variables.map(({ name }) => name));
  const unknown = Object.keys(assignment).find((name) => !known.has(name));
  return unknown === undefined ? null : `that says ${unknown}, which is none of its decisions`;
}

/** Returns the constraints that clash with the candidate's decisions; null: the solver does not tell. */
function whyNot({ template: { model } }: SearchTemplate, { assignment }: Candidate): string | null {
  const decided = model.variables.map((variable) =>
    variable.key ? { ...variable, domain: [assignment[variable.name]!] } : variable,
  );
  return explain({ ...model, variables: decided })?.text ?? null;
}

function badCandidate(name: string, problem: string, detail: string | null = null): DiagnosticError {
  const message = `strategy "${name}" proposes ${problem}`;
  return new DiagnosticError({ code: "strategy.bad-candidate", message, loc: null, hint: null, detail });
}

function unknownTemplate(name: string, { templates }: SearchSpace, wanted: string): DiagnosticError {
  const known = templates.map(({ template }) => `  ${template.name}`).join("\n");
  const message = `strategy "${name}" proposes a candidate of "${wanted}", a template without schedules here`;
  const detail = `the templates are\n${known}`;
  return new DiagnosticError({ code: "strategy.unknown-template", message, loc: null, hint: null, detail });
}
