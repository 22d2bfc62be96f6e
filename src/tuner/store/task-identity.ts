// When two tasks are one: whatever the files of their operators are called, and whoever asks, the same computation on
// tensors of the same names, under the same numerics. Task → the key of its records, and its identity within a build.

import { printComputeDef, sha256 } from "../../compiler/index.ts";
import type { Space } from "../space/space.ts";
import type { TuningTask } from "../task.ts";
import { canonicalJson } from "./key.ts";

/** The name of an operator comes from its file, and only names what is generated. */
const anyName = "kernel";

/** Raise it when the meaning of a field changes: older records become those of other tasks. */
const taskSchema = 1;

/**
 * The key of a task's records, for plugin and program interface alike. Machine, compiler and code generator are not in it:
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

/** What turns decisions into schedules; limits on them only say which there are. */
const digestOfTemplates = ({ templates }: Space): string =>
  sha256(JSON.stringify(templates.map(({ name, algorithm = null, instructions }) => [name, algorithm, instructions])));

/** Never a key of the store: entries there lead to a source, which has the operator's name in it. */
export const taskIdentity = (task: TuningTask): string =>
  sha256(canonicalJson({ task: taskKey(task), target: task.target }));
