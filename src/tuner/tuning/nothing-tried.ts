// Why a tuning that had time measured nothing at all: there was nothing to measure, or its strategy proposed nothing.

import type { Diagnostic } from "../../compiler/index.ts";
import type { Space } from "../data/space.ts";
import { explainSpaceFully } from "../space/explain-space.ts";
import type { TuneResult } from "./tuning.ts";

/** Number up to which candidates are counted. */
export const mostCounted = 1000;

export async function nothingTried(space: Space, strategy: string, { untried }: TuneResult): Promise<Diagnostic> {
  if (untried === 0) return diagnostic("space.empty", await explainSpaceFully(space));
  const many = untried < mostCounted ? `${untried}` : `${mostCounted} and more`;
  return diagnostic("strategy.proposed-nothing", {
    message: `strategy "${strategy}" proposes nothing in the first round, and ${many} candidates are not measured`,
  });
}

const diagnostic = (
  code: Diagnostic["code"],
  { message, detail = null }: { readonly message: string; readonly detail?: string | null },
): Diagnostic => ({ code, message, loc: null, hint: null, detail });
