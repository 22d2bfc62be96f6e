// Tasks that reach about the same throughput: the same operator for the same target, in other shapes.

import { printComputeDef } from "../../compiler/index.ts";
import type { TuningTask } from "../task.ts";

/** The operator's text without its name and its numbers. */
export const familyOf = ({ op, target, numerics }: TuningTask): string =>
  `${target.name} ${numerics} ${printComputeDef({ ...op, name: "" }).replace(/\d+/g, "#")}`;
