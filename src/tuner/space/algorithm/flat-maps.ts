// A map whose last axis is short, as the channels of a pixel → the same map with its last two axes in one, which vectors go along. Operands
// are read as before: the lanes of a vector are picked from elements that lie near each other. The elements lie as before.
//
//   out[y, x, c] = A[y, x, c] · s[c], c of three elements     →     out[y, x_c] = A[y, x_c div 3, x_c mod 3] · s[x_c mod 3]

import {
  axisOf,
  binaryOf,
  byteSize,
  type ComputeDef,
  computeType,
  integerOf,
  mapScalar,
  type ScalarExpr,
  type Stage,
  type Target,
  vectorBytesOf,
} from "../../../compiler/index.ts";
import { asWritten } from "../../data/computation.ts";
import { picksAlong } from "../draft/near-lanes.ts";
import { isMap, schedulableStages } from "../draft/schedulable-stage.ts";
import { inlinedStages } from "../fusion/inlined-stages.ts";
import type { AlgorithmRule } from "./algorithm-rule.ts";

export const flatMaps: AlgorithmRule = {
  name: "flat maps",
  applies({ op, target }) {
    const { op: flat } = flatMaps.rewrite(op);
    return flat !== op && hasPicks(op, flat, target);
  },
  rewrite(op) {
    const short = new Set(op.stages.filter(isShort).map(({ name }) => name));
    return { ...asWritten(op), op: short.size > 0 ? flattened(op, short) : op };
  },
};

/** Most elements of a short axis. */
const mostShort = 8;

function isShort({ axes, reduce }: Stage): boolean {
  const last = axes.at(-1);
  return reduce === null && axes.length > 1 && last !== undefined && last.extent > 1 && last.extent <= mostShort;
}

/** Says whether vectors of some flat map can be picked, which are full where those of its last axis were not. */
function hasPicks(op: ComputeDef, flat: ComputeDef, target: Target): boolean {
  const before = schedulableStages(op);
  const inlined = inlinedStages(before);
  return schedulableStages(flat).some((stage, at) => {
    if (!isMap(stage) || !isShort(op.stages[at]!) || inlined.has(stage.name)) return false;
    const lanes = vectorBytesOf(target) / byteSize[computeType(stage.dtype)];
    const [short, long] = [before[at]!, stage].map(({ spatial }) => spatial.at(-1)!.extent);
    return short! < lanes && lanes <= long! && picksAlong(stage, flat, lanes) !== null;
  });
}

function flattened(op: ComputeDef, short: ReadonlySet<string>): ComputeDef {
  const extents = new Map(op.stages.map(({ name, axes }) => [name, axes.at(-1)?.extent ?? 1]));
  const read = (node: ScalarExpr): ScalarExpr => {
    if (node.kind !== "read" || !short.has(node.tensor)) return node;
    const [row, last] = node.indices.slice(-2);
    const place = binaryOf("add", binaryOf("mul", row!, integerOf(extents.get(node.tensor)!)), last!);
    return { ...node, indices: [...node.indices.slice(0, -2), place] };
  };
  return {
    ...op,
    stages: op.stages.map((stage) => {
      const { axes, body } = stage;
      const renamed = mapScalar(body, read);
      if (!short.has(stage.name)) return { ...stage, body: renamed };
      const [row, last] = axes.slice(-2);
      const name = `${row!.name}_${last!.name}`;
      const parts = new Map([
        [row!.name, binaryOf("floorDiv", axisOf(name), integerOf(last!.extent))],
        [last!.name, binaryOf("mod", axisOf(name), integerOf(last!.extent))],
      ]);
      return {
        ...stage,
        axes: [...axes.slice(0, -2), { ...row!, name, extent: row!.extent * last!.extent }],
        body: mapScalar(renamed, (node) => (node.kind === "axis" ? (parts.get(node.name) ?? node) : node)),
      };
    }),
  };
}
