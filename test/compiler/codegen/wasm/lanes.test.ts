// Conversions of vectors between all types, and divisions of integers by constants, as WASM: exact on all values of 8- and
// 16-bit types, and at the edges of others.

import { expect, test } from "vitest";
import { generateWasm, generateWat } from "../../../../src/compiler/codegen/wasm/generate-wasm.ts";
import { newArray } from "../../../../src/compiler/expr/typed-array.ts";
import { cast } from "../../../../src/compiler/ir/build.ts";
import { type KernelArray, loadWasm } from "../../../../src/native/load/load-wasm.ts";
import { inTurn } from "../../../support/long.ts";
import { mapFunction } from "../c/flat-functions.ts";
import {
  conversionCases,
  convertedSamples,
  dividedSamples,
  divisionCases,
  divisionFunction,
  firstDifference,
  samplesOf,
} from "../lane-functions.ts";

const turn = inTurn(4);

turn.for([2, 4, 8, 16, 32])("types are converted to others, %i lanes", (lanes) => {
  for (const { from, to } of conversionCases([lanes])) {
    const x = samplesOf(from);
    const y = newArray(to, x.length);
    const func = mapFunction("convert", from, to, lanes, x.length / lanes, (value) => cast(to, value));
    loadWasm(generateWasm(func, { relaxed: false })).call([x, y] as KernelArray[]);
    expect([from, to, firstDifference(to, y, convertedSamples({ from, to }))]).toEqual([from, to, null]);
  }
});

turn.for([1, 4, 8, 16, 32])("integers are divided by constants, %i lanes", (lanes) => {
  for (const it of divisionCases([lanes])) {
    const { op, dtype, divisor } = it;
    const x = samplesOf(dtype);
    const y = newArray(dtype, x.length);
    loadWasm(generateWasm(divisionFunction(it, x.length), { relaxed: false })).call([x, y] as KernelArray[]);
    expect([op, dtype, divisor, firstDifference(dtype, y, dividedSamples({ op, dtype, divisor }))]).toEqual([
      op,
      dtype,
      divisor,
      null,
    ]);
  }
});

test.for(divisionCases([4, 16]))("$dtype $op $divisor in $lanes lanes takes no lane apart", (it) => {
  expect(generateWat(divisionFunction(it, 64), { relaxed: false })).not.toMatch(/(extract|replace)_lane/);
});
