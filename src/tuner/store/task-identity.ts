// When two tasks are one: whatever the files of their operators are called, the same computation on tensors of the same
// names, for the same target, under the same numerics, has the same best schedule.

import { codegenVersion, printComputeDef, sha256 } from "../../compiler/index.ts";
import type { TuningTask } from "../task.ts";
import { canonicalJson, scheduleKeyFields } from "./key.ts";

/** The name of an operator comes from its file, and only names what is generated. */
const anyName = "kernel";

/** Never a key of the store: entries there lead to a source, which has the operator's name in it. */
export function taskIdentity(task: TuningTask): string {
  const fields = scheduleKeyFields(task, printComputeDef({ ...task.op, name: anyName }), codegenVersion);
  return sha256(canonicalJson({ ...fields, constants: [...(task.constants ?? [])].sort() }));
}
