// The grid of a launch. A machine has only so many groups along an axis: a grid with more is numbered through and folded over all three
// axes, and the groups that it then has too many do nothing. All threads of a group do the same, so barriers may follow.

import type { ThreadAxis } from "../../ir/loop-ir.ts";
import { ceilDiv, product } from "../../support/integer-math.ts";
import type { Target } from "../../target/target.ts";
import { cannotRun } from "../cannot.ts";
import { limitOf } from "./limits.ts";

export type Size3 = readonly [number, number, number];

export function foldedGrid(groups: Size3, target: Target): Size3 {
  const most = limitOf(target, "groupsAlongAxis");
  if (groups.every((extent) => extent <= most)) return groups;
  const all = product(groups);
  const planes = ceilDiv(all, most * most);
  const rows = ceilDiv(all, most * planes);
  if (planes > most || all > mostGroups) {
    throw cannotRun("wgsl", `a launch has ${all} groups`, "larger groups, or more elements a thread");
  }
  return [ceilDiv(all, rows * planes), rows, planes];
}

/** Groups are counted by an i32. */
const mostGroups = 2 ** 31 - 1;

/** Lines that say which group a thread is of. */
export function gridLines(
  groups: Size3,
  folded: Size3,
  axes: readonly ThreadAxis[],
  names: (name: string) => string,
): readonly string[] {
  const own = axes.filter((axis) => axis.startsWith("blockIdx"));
  if (folded === groups) return own.map((axis) => `let ${names(axis)} = i32(uk_workgroup_id.${axis.at(-1)});`);
  const [x, y] = groups;
  const id = "uk_workgroup_id";
  const places = { x: `uk_group % ${x}`, y: `uk_group / ${x} % ${y}`, z: `uk_group / ${x * y}` };
  return [
    `let uk_group = i32(${id}.x + ${folded[0]}u * (${id}.y + ${folded[1]}u * ${id}.z));`,
    `if (uk_group >= ${product(groups)}) { return; }`,
    ...own.map((axis) => `let ${names(axis)} = ${places[axis.at(-1) as "x" | "y" | "z"]};`),
  ];
}
