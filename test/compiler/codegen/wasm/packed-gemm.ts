// The flat form of C = A·B in f32 as a good schedule gives it: both operands packed, an rows × columns register tile.

import type { Expr, LoopFunc, Stmt } from "../../../../src/compiler/ir/loop-ir.ts";
import { add, assign, bin, buffer, define, func, load, local, loop, mul, num, ramp, splat, store, v } from "./build.ts";

/** m is a multiple of rows, n of columns, columns of 4, k of depth. */
export interface GemmShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly rows: number;
  readonly columns: number;
  /** k is cut into blocks of this many, so that the panels of B stay in the cache. */
  readonly depth: number;
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const scaled = (name: string, factor: number): Expr => mul(v(name), num(factor));
const sum = (...terms: readonly Expr[]): Expr => terms.reduce(add);

export function packedGemm({ m, n, k, rows, columns, depth }: GemmShape): LoopFunc {
  const vectors = columns / 4;
  const packB = loop(
    "pj",
    n / columns,
    loop(
      "pk",
      k,
      ...upTo(vectors).map((x) => {
        const from = sum(scaled("pk", n), scaled("pj", columns), num(x * 4));
        const to = sum(scaled("pj", columns * k), scaled("pk", columns), num(x * 4));
        return store("Bp", ramp(to, 4), load("B", "f32", ramp(from, 4)));
      }),
    ),
  );
  const packA = loop(
    "pi",
    m / rows,
    loop(
      "pk",
      k,
      ...upTo(rows).map((y) => {
        const to = sum(scaled("pi", rows * k), scaled("pk", rows), num(y));
        return store("Ap", to, load("A", "f32", sum(scaled("pi", rows * k), v("pk"), num(y * k))));
      }),
    ),
  );
  const c = (y: number, x: number) => ramp(sum(scaled("i", rows * n), scaled("j", columns), num(y * n + x * 4)), 4);
  const tiles = upTo(rows).flatMap((y) => upTo(vectors).map((x) => ({ y, x, name: `c${y}_${x}` })));
  const kIndex = add(scaled("k.0", depth), v("k.1"));
  const step: Stmt[] = [
    ...upTo(vectors).map((x) =>
      define(
        `b${x}`,
        load("Bp", "f32", ramp(sum(scaled("j", columns * k), mul(kIndex, num(columns)), num(x * 4)), 4)),
        4,
      ),
    ),
    ...upTo(rows).flatMap((y) => [
      define(`a${y}`, splat(load("Ap", "f32", sum(scaled("i", rows * k), mul(kIndex, num(rows)), num(y))), 4), 4),
      ...upTo(vectors).map((x) =>
        assign(
          `c${y}_${x}`,
          add(local(`c${y}_${x}`, "f32", 4), mul(local(`a${y}`, "f32", 4), local(`b${x}`, "f32", 4))),
        ),
      ),
    ]),
  ];
  const micro = loop(
    "i",
    m / rows,
    ...tiles.map(({ name, y, x }) =>
      define(
        name,
        {
          kind: "select",
          dtype: "f32",
          condition: bin("eq", v("k.0"), num(0)),
          then: splat(num(0, "f32"), 4),
          else: load("C", "f32", c(y, x)),
        },
        4,
      ),
    ),
    loop("k.1", depth, ...step),
    ...tiles.map(({ name, y, x }) => store("C", c(y, x), local(name, "f32", 4))),
  );
  return func(
    `gemm_f32_${m}x${n}x${k}`,
    [
      buffer("A", "f32", m * k, "input"),
      buffer("B", "f32", k * n, "input"),
      buffer("C", "f32", m * n, "output"),
      buffer("Ap", "f32", m * k, "workspace"),
      buffer("Bp", "f32", k * n, "workspace"),
    ],
    packB,
    packA,
    loop("k.0", k / depth, loop("j", n / columns, micro)),
  );
}
