// The passes from a scheduled nest to what `generateProgram` reads: flat loops around products, copies and results. No loop is
// unrolled and no other vectors are made: the machine's instructions have loops and vectors of their own. Conditions are
// brought out of the loops that an intrinsic takes, which must be free of them.

import { flatten } from "../../src/compiler/lower/pass/flatten.ts";
import { hoistConditions } from "../../src/compiler/lower/pass/hoist-conditions.ts";
import { lowerBlocks } from "../../src/compiler/lower/pass/lower-blocks.ts";
import type { Pass } from "../../src/compiler/lower/pass/pass.ts";
import { tensorize } from "../../src/compiler/lower/pass/tensorize.ts";

export const passes: readonly Pass[] = [lowerBlocks, flatten, hoistConditions, tensorize];
