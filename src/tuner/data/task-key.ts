// Decides when two tasks are one: the same computation on tensors of the same names, under the same numerics.
// The names of their operators' files do not matter. Task → the key of its records, and its identity within a build.

import { printComputeDef, sha256 } from "../../compiler/index.ts";
import { canonicalJson } from "./key.ts";
import type { Space } from "./space.ts";
import { encodeTarget } from "./target-json.ts";
import type { TuningTask } from "./task.ts";

/** Name that replaces an operator's: that comes from its file, and only names what is generated. */
const anyName = "kernel";

/** Version of the key's fields. Raise it when the meaning of a field changes: older records become those of other tasks. */
const taskSchema = 1;

/**
 * Makes the key of a task's records, for plugin and program interface alike. Machine, compiler and code generator are not in it:
 * they stand in each record, and say whether it is a measurement or a relative's.
 *
 * @param own a space that is not made by our rules alone: its decisions mean something else
 */
export const taskKey = ({ op, numerics, threads, constants = [] }: TuningTask, own: Space | null = null): string =>
  sha256(
    canonicalJson({
      key: "task",
      schema: taskSchema,
      op: sha256(printComputeDef({ ...op, name: anyName, constants })),
      numerics,
      threads,
      templates: own && digestOfTemplates(own),
    }),
  );

/**
 * Makes a digest of what turns decisions into schedules; limits are left out, as they only say which schedules there are.
 */
const digestOfTemplates = ({ templates }: Space): string =>
  sha256(JSON.stringify(templates.map(({ name, algorithm = null, instructions }) => [name, algorithm, instructions])));

/**
 * Makes the task's identity within a build. It is never a key of the store: entries there lead to a source with the
 * operator's name in it.
 */
export const taskIdentity = (task: TuningTask): string =>
  sha256(canonicalJson({ task: taskKey(task), target: encodeTarget(task.target) }));
