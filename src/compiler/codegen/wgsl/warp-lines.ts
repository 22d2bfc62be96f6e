// Coordinates of a thread whose warp is made of subgroups. They follow from the number of its subgroup, which all of its threads share: WGSL
// wants the places of matrices to be the same for a subgroup, and sees that of nothing else.

import type { ThreadAxis } from "../../ir/loop-ir.ts";
import { laneAxis } from "../../ir/thread-axes.ts";
import { warpLanes } from "../../target/shuffles.ts";
import { cannotRun } from "../cannot.ts";
import { partName, type SubgroupShare } from "./subgroup-share.ts";

export function warpLines(
  { lanes, parts }: SubgroupShare,
  extents: ReadonlyMap<ThreadAxis, number>,
  names: (name: string) => string,
): readonly string[] {
  const x = extents.get(laneAxis) ?? 1;
  if (x !== warpLanes) {
    throw cannotRun(
      "wgsl",
      `tiles of ${warpLanes} lanes are computed by ${x}`,
      `bind a loop of ${warpLanes} to threadIdx.x`,
    );
  }
  const warp = parts === 1 ? "i32(uk_subgroup_id)" : `i32(uk_subgroup_id / ${parts}u)`;
  const rows = extents.get("threadIdx.y") ?? 1;
  const places = { "threadIdx.y": `${warp} % ${rows}`, "threadIdx.z": rows === 1 ? warp : `${warp} / ${rows}` };
  const lane = "i32(uk_subgroup_invocation_id)";
  return [
    ...(parts === 1 ? [] : [`let ${partName} = i32(uk_subgroup_id % ${parts}u);`]),
    `let ${names("threadIdx.x")} = ${parts === 1 ? lane : `${partName} * ${lanes} + ${lane}`};`,
    ...(["threadIdx.y", "threadIdx.z"] as const)
      .filter((axis) => extents.has(axis))
      .map((axis) => `let ${names(axis)} = ${places[axis]};`),
  ];
}
