// The first lanes of several rows in memory in turns, where those of one row are fewer bytes than any vector of ARM has: packs of groups. Each
// row's are one lane of a vector of wider lanes, whose bytes one table look-up puts in order. Compilers for ARM would move them byte by byte.
//
//   rows[0] rows[256] … rows[1792], two bytes of each   →   (i16x8){…}, lanes 0 2 4 … 14 1 3 5 … 15

import type { Expr, Interleave, Load } from "../../ir/loop-ir.ts";
import { flatMap } from "../../support/flat-map.ts";
import { addressOf } from "./access.ts";
import type { Context, Value } from "./context.ts";
import { cName, type Element, elementBytes, type Piece, storedElement } from "./element.ts";
import { inline } from "./vector-function.ts";

/** Bytes of a vector, and a lane of so many bytes. */
const vectorBytes = 16;
const laneOfBytes: Readonly<Record<number, Element>> = { 2: "i16", 4: "i32" };

/** The lanes `range` of each part in turns; null where they are no rows in memory, or as wide as vectors. */
export function interleavedRows(context: Context, { parts, dtype }: Interleave, range: Piece): Value | null {
  const { prelude } = context;
  const element = storedElement[dtype];
  const bytes = range.lanes * elementBytes[element];
  const lane = laneOfBytes[bytes];
  const isOf = prelude.architecture === "arm64" && lane !== undefined && range.lanes > 1;
  if (!isOf || bytes * parts.length !== vectorBytes || !parts.every(isRow)) return null;
  const addresses = parts.map(({ buffer, indices: [index] }) => addressOf(context, buffer, index.base, range.start));
  const count = parts.length;
  const name = `uk_interleave${count}_rows_${element}x${range.lanes}`;
  prelude.define(name, () => {
    const rows = prelude.type(lane, count);
    const type = prelude.type(element, count * range.lanes);
    const names = parts.map((_, at) => `a${at}`);
    const order = flatMap([...Array(range.lanes).keys()], (at) => names.map((_, row) => row * range.lanes + at));
    return [
      `${inline} ${type} ${name}(${names.map((it) => `const void *${it}`).join(", ")}) {`,
      `  typedef ${cName[lane]} lane __attribute__((aligned(1), may_alias));`,
      `  ${type} rows = (${type})(${rows}){${names.map((it) => `*(const lane *)${it}`).join(", ")}};`,
      "#if defined(__clang__) || __GNUC__ >= 12",
      `  return __builtin_shufflevector(rows, rows, ${order.join(", ")});`,
      "#else",
      `  return (${type}){${order.map((at) => `rows[${at}]`).join(", ")}};`,
      "#endif",
      "}",
    ].join("\n");
  });
  return { text: `${name}(${addresses.join(", ")})`, element };
}

type Row = Load & { readonly indices: readonly [Extract<Expr, { kind: "ramp" }>] };

const isRow = (part: Expr): part is Row => {
  if (part.kind !== "load" || part.active) return false;
  const [index] = part.indices;
  return index?.kind === "ramp" && index.stride === 1 && index.base.kind !== "ramp";
};
