// The constraint model of a packed GEMM on a CPU, shaped like the ones that space generation makes.

import type { Constraint, ConstraintModel, Variable } from "../../../src/tuner/constraint/constraint.ts";

const divisors = (n: number): number[] => Array.from({ length: n }, (_, k) => k + 1).filter((k) => n % k === 0);
const tiles = (n: number): number[] => Array.from({ length: n }, (_, k) => k + 1);

export interface GemmSpace {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly registers: number;
  readonly l2Bytes: number;
}

/** Perfect splits of i, j, k in 3, 3 and 2 levels; a register limit, an L2 limit and a packing position. */
export function gemmModel({ m, n, k, registers, l2Bytes }: GemmSpace): ConstraintModel {
  const key = (name: string, domain: readonly number[]): Variable => ({ name, domain, key: true });
  const derived = (name: string, to: number): Variable => ({ name, domain: { from: 0, to }, key: false });
  const split = (axis: string, extent: number, levels: number): Constraint => ({
    kind: "product",
    result: extent,
    factors: tiles(levels).map((level) => `${axis}.${level - 1}`),
    why: `the ${levels} loops of ${axis} cover ${extent}`,
    role: "definition",
  });
  const axis = (name: string, extent: number, levels: number): Variable[] =>
    tiles(levels).map((level) => key(`${name}.${level - 1}`, divisors(extent)));
  return {
    variables: [
      ...axis("i", m, 3),
      ...axis("j", n, 3),
      ...axis("k", k, 2),
      key("lanes", [4, 8, 16]),
      key("pack.at", [0, 1, 2]),
      derived("vectors", 64),
      derived("accumulators", 2 ** 20),
      derived("pack.rows", 2 ** 20),
      derived("pack.bytes", 2 ** 28),
      derived("b.bytes", 2 ** 28),
      derived("l2.bytes", 2 ** 29),
    ],
    constraints: [
      split("i", m, 3),
      split("j", n, 3),
      split("k", k, 2),
      { kind: "product", result: "j.2", factors: ["lanes", "vectors"], why: "j.2 is whole vectors", role: "limit" },
      {
        kind: "product",
        result: "accumulators",
        factors: ["i.2", "vectors"],
        why: "one accumulator for each row of i.2 and vector of j.2",
        role: "definition",
      },
      {
        kind: "at-most",
        left: "accumulators",
        right: registers,
        why: `the accumulators i.2 × j.2 fit ${registers} vector registers`,
        role: "limit",
      },
      {
        kind: "select",
        result: "pack.rows",
        index: "pack.at",
        options: ["i.2", "i.1", m],
        why: "rows of the packed A",
        role: "definition",
      },
      {
        kind: "product",
        result: "pack.bytes",
        factors: [4, "pack.rows", "k.1"],
        why: "bytes of the packed A",
        role: "definition",
      },
      {
        kind: "product",
        result: "b.bytes",
        factors: ["k.1", 4, "j.2", "j.1"],
        why: "bytes of the B panel",
        role: "definition",
      },
      {
        kind: "sum",
        result: "l2.bytes",
        terms: [
          { coefficient: 1, term: "pack.bytes" },
          { coefficient: 1, term: "b.bytes" },
          { coefficient: 4, term: "j.2" },
        ],
        offset: 64,
        why: "bytes live in L2",
        role: "definition",
      },
      {
        kind: "at-most",
        left: "l2.bytes",
        right: l2Bytes,
        why: `the packed A and the B panel fit ${l2Bytes} bytes of L2`,
        role: "limit",
      },
    ],
  };
}
