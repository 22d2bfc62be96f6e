// Conversions of vectors between all types, and divisions of integers by constants, as compiled C: exact on all values of
// 8- and 16-bit types, and at the edges of others.

import { expect } from "vitest";
import { byteSize, isFloat } from "../../../../src/compiler/expr/dtype.ts";
import { newArray } from "../../../../src/compiler/expr/typed-array.ts";
import { broadcast, cast, constOf, lt, select } from "../../../../src/compiler/ir/build.ts";
import { eachCompiler, nativeTargets } from "../../../native/compiled.ts";
import { inTurn } from "../../../support/long.ts";
import {
  conversionCases,
  convertedSamples,
  dividedSamples,
  divisionCases,
  divisionFunction,
  firstDifference,
  samplesOf,
} from "../lane-functions.ts";
import { mapFunction, zipFunction } from "./flat-functions.ts";

const turn = inTurn(13);

for (const { title, target } of nativeTargets) {
  eachCompiler({ title: `${title}: all values in vectors`, target }, ({ compileFunctions }) => {
    turn.for([2, 4, 8, 16, 32, 64])("are converted to other types, %i lanes", async (lanes) => {
      const cases = conversionCases([lanes]);
      const run = await compileFunctions(
        cases.map(({ from, to }) =>
          mapFunction(`${from}_${to}`, from, to, lanes, samplesOf(from).length / lanes, (x) => cast(to, x)),
        ),
        target,
      );
      const wrong = cases.flatMap(({ from, to }, at) => {
        const x = samplesOf(from);
        const y = newArray(to, x.length);
        run(at, x, y);
        const difference = firstDifference(to, y, convertedSamples({ from, to }));
        return difference === null ? [] : [`${from} → ${to} ${difference}`];
      });
      expect(wrong).toEqual([]);
    });

    // gcc merges a conversion and a choice into one instruction, and fails at some that read memory. At comparisons of
    // vectors that are wider than its target's it fails, too, and only a test asks for them.
    const mostBytes = target.features.includes("avx512f") ? 64 : 32;
    turn.for([2, 4, 8, 16, 32, 64].filter((lanes) => lanes <= mostBytes))(
      "are converted where they are chosen, %i lanes",
      async (lanes) => {
        const cases = conversionCases([lanes]).filter(
          ({ to }) => !["bool", "f16", "bf16"].includes(to) && byteSize[to] * lanes <= mostBytes,
        );
        const run = await compileFunctions(
          cases.map(({ from, to }) =>
            zipFunction(`${from}_${to}`, from, lanes, samplesOf(from).length / lanes, (x, y) => {
              const isChosen = lt(cast(to, y), broadcast(constOf(to, 1), lanes));
              return select(isChosen, cast(to, x), broadcast(constOf(to, 3), lanes));
            }),
          ),
          target,
        );
        const wrong = cases.flatMap(({ from, to }, at) => {
          const z = newArray(to, samplesOf(from).length);
          run(at, samplesOf(from), samplesOf(from), z);
          const chosen = convertedSamples({ from, to }).map((value) => (value < 1 ? value : 3));
          const difference = firstDifference(to, z, chosen);
          return difference === null ? [] : [`${from} → ${to} ${difference}`];
        });
        expect(wrong).toEqual([]);
      },
    );

    turn.for([2, 4, 8, 16])("of integers come by way of 64 bits, %i lanes", async (lanes) => {
      const cases = conversionCases([lanes]).filter(({ from, to }) => !isFloat(from) && !isFloat(to));
      const run = await compileFunctions(
        cases.map(({ from, to }) =>
          mapFunction(`${from}_${to}`, from, to, lanes, samplesOf(from).length / lanes, (x) =>
            cast(to, cast("i64", x)),
          ),
        ),
        target,
      );
      for (const [at, { from, to }] of cases.entries()) {
        const y = newArray(to, samplesOf(from).length);
        run(at, samplesOf(from), y);
        expect([from, to, firstDifference(to, y, convertedSamples({ from, to }))]).toEqual([from, to, null]);
      }
    });

    turn.for([1, 4, 8, 16, 64])("are divided by constants, %i lanes", async (lanes) => {
      const cases = divisionCases([lanes]);
      const run = await compileFunctions(
        cases.map((it) => divisionFunction(it, samplesOf(it.dtype).length)),
        target,
      );
      const wrong = cases.flatMap(({ op, dtype, divisor }, at) => {
        const x = samplesOf(dtype);
        const y = newArray(dtype, x.length);
        run(at, x, y);
        const difference = firstDifference(dtype, y, dividedSamples({ op, dtype, divisor }));
        return difference === null ? [] : [`${dtype} ${op} ${divisor} ${difference}`];
      });
      expect(wrong).toEqual([]);
    });
  });
}
