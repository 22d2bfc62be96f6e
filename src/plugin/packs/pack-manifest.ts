// Description of a pack in its package.json: which file has the decisions, and which code generator they are for.

import { object, oneOf, text } from "../../tuner/support/strict.ts";

/** Field of package.json. */
export const manifestField = "unpluginKernel";
export const packSchema = 1;
export const decisionsName = "decisions.jsonl";

export interface PackManifest {
  readonly pack: number;
  readonly codegen: string;
  readonly decisions: typeof decisionsName;
}

export const decodePackManifest = object<PackManifest>({
  pack: oneOf(packSchema),
  codegen: text(100),
  decisions: oneOf(decisionsName),
});
