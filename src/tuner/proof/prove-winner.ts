// Searches a space, template by template, for a schedule that is predicted to be faster than a given one. The verdict
// is proven (there is none), refuted (with such a schedule), or unknown (time ran out). It holds for the analytic model
// with its constraints, not for the machine. docs/constraints.md

import type { Candidate, Template } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { findPoint, searchSpace } from "../search/point/search-space.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { duration, threeDigits } from "../support/readable-number.ts";
import { leastPredicted } from "./least-predicted.ts";

/**
 * - `none`: no schedule of the template is predicted to take less than the winner. Proven.
 * - `faster`: `best` is predicted to take less. It exists.
 * - `unknown`: time ran out, and none was found.
 * - `silent`: the model predicts nothing, as of a template without an estimate.
 */
export type ProofVerdict = "none" | "faster" | "unknown" | "silent";

export interface TemplateProof {
  readonly template: string;
  readonly verdict: ProofVerdict;
  /** The fastest schedule by the model, or where `isLeast` is false the fastest that was found. */
  readonly best: { readonly ns: number; readonly schedule: Candidate } | null;
  readonly isLeast: boolean;
  /** Nanoseconds: every schedule of the template is predicted to take at least this. Null: nothing is known. */
  readonly atLeastNs: number | null;
}

export interface WinnerProof {
  /** Nanoseconds that the model predicts for the winner. Null: none, so nothing can be said of others. */
  readonly predictedNs: number | null;
  /** Overall verdict: `none` where it is every template's, `faster` where it is some template's. */
  readonly verdict: ProofVerdict;
  readonly templates: readonly TemplateProof[];
  /** The whole proof in words. */
  readonly text: string;
}

export interface ProofOptions {
  /** Most milliseconds for each template. */
  readonly mostMs: number;
  readonly nowMs: () => number;
}

export async function proveWinner(
  { target }: TuningTask,
  space: GeneratedSpace,
  winner: Candidate,
  { mostMs, nowMs }: ProofOptions,
): Promise<WinnerProof> {
  const predictedNs = predictedOf(space, winner);
  const templates: TemplateProof[] = [];
  for (const template of space.templates) {
    const endMs = nowMs() + mostMs;
    const options = { target, belowNs: predictedNs ?? 0, isOver: () => nowMs() >= endMs };
    templates.push(predictedNs === null ? silent(template) : await proofOf(template, space, options));
  }
  const verdict = overall(templates.map((one) => one.verdict));
  return { predictedNs, verdict, templates, text: textOf(predictedNs, templates) };
}

/** Predicts the winner's time. Null: the model predicts nothing, or the space has no such schedule. */
function predictedOf(space: GeneratedSpace, winner: Candidate): number | null {
  const templates = space.templates.filter(({ name }) => name === winner.template);
  const point = findPoint(searchSpace({ templates }), winner);
  return point && space.prior(point.template.template, point.assignment);
}

const silent = ({ name }: Template): TemplateProof => ({
  template: name,
  verdict: "silent",
  best: null,
  isLeast: false,
  atLeastNs: null,
});

async function proofOf(
  template: Template,
  space: GeneratedSpace,
  options: Parameters<typeof leastPredicted>[2],
): Promise<TemplateProof> {
  const estimates = space.estimates(template);
  if (estimates.length === 0) return silent(template);
  const { best, atLeastNs, isComplete } = await leastPredicted(template, estimates, options);
  const verdict = best ? "faster" : isComplete ? "none" : "unknown";
  return { template: template.name, verdict, best, isLeast: isComplete, atLeastNs };
}

function overall(verdicts: readonly ProofVerdict[]): ProofVerdict {
  const order = ["faster", "unknown", "silent", "none"] as const;
  return order.find((verdict) => verdicts.includes(verdict)) ?? "none";
}

/**
 *     the model predicts 6.87 µs for the winner, and for schedules of
 *       C tiled: 6.68 µs at best, 0.973 × the winner's
 */
function textOf(predictedNs: number | null, templates: readonly TemplateProof[]): string {
  if (predictedNs === null) return "the model predicts nothing for the winner, so nothing is proven";
  const all = templates.map(({ verdict }) => verdict);
  const heading = `the model predicts ${duration(predictedNs)} for the winner`;
  const faster = templates.filter(({ verdict }) => verdict === "faster");
  const least = Math.min(...faster.map(({ best }) => best!.ns));
  const summary =
    faster.length > 0
      ? `schedules of ${faster.length} of ${templates.length} templates are predicted to be faster, the best takes ${duration(least)}`
      : all.every((verdict) => verdict === "none")
        ? "proven: no schedule of this space is predicted to be faster"
        : "no schedule that is predicted to be faster was found";
  return [`${heading}; ${summary}`, ...templates.map((one) => `  ${lineOf(one, predictedNs)}`)].join("\n");
}

function lineOf({ template, verdict, best, isLeast, atLeastNs }: TemplateProof, predictedNs: number): string {
  switch (verdict) {
    case "none":
      return `${template}: none is faster`;
    case "faster": {
      const ratio = `${threeDigits(best!.ns / predictedNs)} × the winner's`;
      const rest = isLeast ? "none is faster than that" : `time ran out; none takes less than ${duration(atLeastNs!)}`;
      return `${template}: ${duration(best!.ns)}, ${ratio}; ${rest}`;
    }
    case "unknown":
      return `${template}: unknown, time ran out; none takes less than ${duration(atLeastNs!)}`;
    case "silent":
      return `${template}: the model says nothing of it`;
  }
}
