// Lanes picked from vectors, as compiled C: by lot, from one to four vectors of any length and type, near each other and far apart, in strides and
// turned around, into shorter vectors and longer ones.

import { expect } from "vitest";
import type { DType } from "../../../../src/compiler/expr/dtype.ts";
import { newArray } from "../../../../src/compiler/expr/typed-array.ts";
import { constInt, loadOf, pick, ramp, store } from "../../../../src/compiler/ir/build.ts";
import type { LoopFunc } from "../../../../src/compiler/ir/loop-ir.ts";
import type { Rng } from "../../../../src/tuner/support/rng.ts";
import { eachCompiler, nativeTargets } from "../../../native/compiled.ts";
import { fewer, inTurn, rngOf } from "../../../support/long.ts";
import { firstDifference } from "../lane-functions.ts";
import { body, buffer } from "./flat-functions.ts";

const turn = inTurn(13);

interface DrawnPick {
  readonly dtype: DType;
  readonly width: number;
  readonly parts: number;
  readonly picks: readonly number[];
}

function drawPick(rng: Rng, mostBytes: number): DrawnPick {
  const [dtype, bytes] = rng.pick([
    ["u8", 1],
    ["i8", 1],
    ["i16", 2],
    ["f32", 4],
    ["i32", 4],
    ["f64", 8],
  ] as const);
  const most = Math.log2(mostBytes / bytes);
  const [width, lanes] = [2 ** (1 + rng.below(most)), 2 ** (1 + rng.below(most))];
  const parts = 1 + rng.below(4);
  const all = width * parts;
  const place = rng.pick([
    () => {
      const [from, step] = [rng.below(all), 1 + rng.below(4)];
      return (lane: number) => from + lane * step;
    },
    () => {
      const from = rng.below(all);
      return (lane: number) => from + all - (lane % all);
    },
    () => {
      const times = 1 + rng.below(5);
      return (lane: number) => Math.floor(lane / times);
    },
    () => () => rng.below(all),
  ])();
  return { dtype, width, parts, picks: Array.from({ length: lanes }, (_, lane) => place(lane) % all) };
}

function functionOf({ dtype, width, parts, picks }: DrawnPick, at: number): LoopFunc {
  const x = buffer("x", dtype, width * parts, "input");
  const y = buffer("y", dtype, picks.length, "output");
  const loads = Array.from({ length: parts }, (_, part) => loadOf(x, [ramp(constInt(part * width), 1, width)]));
  return {
    name: `pick${at}`,
    buffers: [x, y],
    body: body(store(y, [ramp(constInt(0), 1, picks.length)], pick(loads, picks))),
  };
}

for (const { title, target } of nativeTargets) {
  eachCompiler({ title: `${title}: lanes picked from vectors`, target }, ({ compileFunctions }) => {
    turn("by lot", async () => {
      const rng = rngOf("picked lanes");
      const drawn = Array.from({ length: fewer(300) }, () => drawPick(rng, target.vectorBytes));
      const run = await compileFunctions(drawn.map(functionOf), target);
      const wrong = drawn.flatMap((it, at) => {
        const { dtype, width, parts, picks } = it;
        const x = newArray(dtype, width * parts);
        for (let place = 0; place < x.length; place++) x[place] = place % 128;
        const y = newArray(dtype, picks.length);
        run(at, x, y);
        const wanted = newArray(dtype, picks.length);
        for (const [lane, place] of picks.entries()) wanted[lane] = x[place]!;
        const difference = firstDifference(dtype, y, wanted);
        return difference === null ? [] : [`${JSON.stringify(it)} ${difference}`];
      });
      expect(wrong).toEqual([]);
    });
  });
}
