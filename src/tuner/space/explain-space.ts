// Why a space has no schedule, in the operator's words.

import { explain } from "../constraint/explain.ts";
import type { Space } from "./space.ts";

/** Of the templates the first speaks for all: they differ in order and packing, seldom in what fits. */
export function explainSpace({ templates }: Space): { readonly message: string; readonly detail: string | null } {
  const [template] = templates;
  if (!template) return { message: "no rule knows how to schedule this operator", detail: null };
  const explanation = explain(template.model);
  return {
    message: "no schedule satisfies all limits",
    detail: explanation ? explanation.text : null,
  };
}
