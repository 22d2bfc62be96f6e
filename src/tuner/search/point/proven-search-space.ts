// A space made ready for a tuning. The propagation sampler draws from it; where it finds nothing in a template it gives
// up without knowing why, and z3, which decides such cases, is loaded and stands behind it.

import { loadZ3, provenSampler } from "../../constraint/solver/z3.ts";
import type { GeneratedSpace } from "../../space/generate.ts";
import { createRng } from "../../support/rng.ts";
import { drawPoint, type SearchSpace, type SearchSpaceOptions, searchSpace } from "./search-space.ts";

export async function provenSearchSpace(
  space: GeneratedSpace,
  options: Pick<SearchSpaceOptions, "features" | "mutators"> = {},
): Promise<SearchSpace> {
  const { prior } = space;
  const quick = searchSpace(space, { ...options, prior });
  const rng = createRng(1);
  const isSilent = quick.templates.some((template) => drawPoint(quick, template, rng, {}) === null);
  return isSilent ? searchSpace(space, { ...options, prior, sampler: provenSampler(await loadZ3()) }) : quick;
}
