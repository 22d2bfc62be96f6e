// Storage scope of an instruction → the memory that it stands for.

import type { LocalMemory } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { StorageScope } from "../trace.ts";

/** @param scope one that the check of an instruction has let pass */
export function localMemory(scope: StorageScope): LocalMemory {
  invariant(scope !== "input" && scope !== "output", "no instruction makes parameters");
  return scope;
}
