// What fits the scratchpads, as constraints over the sizes of a block.

import {
  type Access,
  atMost,
  atMostWhen,
  type Draft,
  is,
  product,
  type SchedulableStage,
  sum,
  type Term,
} from "../../../src/tuner/space/rule-authoring.ts";
import { type Machine, side } from "../machine.ts";
import type { MatrixProduct } from "./matrix-product.ts";
import { stays, staysOf, tileOf } from "./tiles.ts";

export function limitScratchpads(
  draft: Draft,
  sums: MatrixProduct,
  reader: SchedulableStage | null,
  machine: Machine,
): Draft {
  const inputs = operandLimit(limitSums(draft, sums, reader, machine), sums, "inputs", machine);
  return operandLimit(inputs, sums, "weights", machine);
}

/** The sums of a block; what a map makes of them, and one row of each operand that it brings, lie beside them. */
function limitSums(
  draft: Draft,
  { stage, rows, columns }: MatrixProduct,
  reader: SchedulableStage | null,
  { sums }: Machine,
): Draft {
  const name = `${stage.name}.sums`;
  const tiles = [...rows, columns].map((axis) => tileOf(stage, axis));
  const counted = product(draft, name, [...tiles, side], `sums of ${stage.name} in a block`);
  if (!reader) return atMost(counted, name, sums, `a block of ${stage.name} fits ${sums} sums`);
  const beside = `${name}.beside`;
  const row = { coefficient: side * (reader.reads.length + 1), term: tileOf(stage, columns) };
  const terms = [{ coefficient: 1, term: name }, row];
  const all = sum(
    counted,
    beside,
    terms,
    0,
    `sums of ${stage.name} in a block, and a row of what ${reader.name} makes of them`,
  );
  return atMost(all, beside, sums, `a block of ${stage.name}, and a row of ${reader.name}, fit ${sums} sums`);
}

/** An operand that stays is there in its whole depth. */
function operandLimit(draft: Draft, sums: MatrixProduct, operand: "inputs" | "weights", machine: Machine): Draft {
  const { stage, depth } = sums;
  const staying = stays.indexOf(operand);
  const passing = [...stays.keys()].filter((it) => it !== staying);
  return [passing, [staying]].reduce((result, ways) => {
    const isWhole = ways.includes(staying);
    const deep: Term = isWhole ? depth.extent / side : tileOf(stage, depth);
    const name = `${stage.name}.${operand}${isWhole ? ".whole" : ""}`;
    const counted = footprint(result, name, sums, operand, deep);
    const why = `a block of ${sums[operand].buffer}${isWhole ? " in its whole depth" : ""} fits ${machine[operand]} ${operand}`;
    return ways.reduce(
      (limited, way) => atMostWhen(limited, [is(staysOf(stage), way)], name, machine[operand], why),
      counted,
    );
  }, draft);
}

/** Adds a variable: the elements of an operand that one block reads. */
function footprint(draft: Draft, name: string, sums: MatrixProduct, operand: "inputs" | "weights", deep: Term): Draft {
  const access = sums[operand];
  const { draft: measured, terms } = access.dims.reduce<{ draft: Draft; terms: readonly Term[] }>(
    (result, _, at) => {
      const { draft, term } = dimension(result.draft, `${name}.${at}`, sums, access, at, deep);
      return { draft, terms: [...result.terms, ...term] };
    },
    { draft, terms: [] },
  );
  return product(measured, name, terms, `elements of ${access.buffer} that a block reads`);
}

interface Dimension {
  readonly draft: Draft;
  /** Factors whose product is how many elements of the dimension a block reads. */
  readonly term: readonly Term[];
}

/** A dimension that one axis walks has as many elements as a block of it; windows overlap. */
function dimension(draft: Draft, name: string, sums: MatrixProduct, access: Access, at: number, deep: Term): Dimension {
  const { stage, rows, columns, taps, depth } = sums;
  const steps = access.dims[at] ?? new Map<string, number>();
  if (steps.has(depth.name)) return { draft, term: [deep, side] };
  if (steps.has(columns.name)) return { draft, term: [tileOf(stage, columns), side] };
  const tap = taps.reduce((reach, { name, extent }) => reach + (steps.get(name) ?? 0) * (extent - 1), 0);
  const moving = rows
    .filter(({ name }) => steps.has(name))
    .map((row) => ({ coefficient: steps.get(row.name) ?? 0, term: tileOf(stage, row) }));
  if (moving.length === 0) return { draft, term: [tap + 1] };
  const offset = moving.reduce((rest, { coefficient }) => rest - coefficient, tap + 1);
  return {
    draft: sum(draft, name, moving, offset, `elements of dimension ${at} of ${access.buffer} that a block reads`),
    term: [name],
  };
}
