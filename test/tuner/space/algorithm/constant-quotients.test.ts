// Quotients by constants as products and shifts: right for each value that they are said to be for, and no product is more than an i32 holds.

import { expect, test } from "vitest";
import { authoring, evaluate, type Op } from "../../../../src/compiler/index.ts";
import { withProductQuotients } from "../../../../src/tuner/space/algorithm/constant-quotients.ts";
import { fewer, rngOf } from "../../../support/long.ts";
import { ofBytes as bytes, defOf, bodyOf as printedBody } from "../../../support/of-bytes.ts";

const { cast, compute, defineOp, tensor } = authoring;

const bodyOf = (op: Op): string => printedBody(withProductQuotients(defOf(op)));

test("a quotient is a product and a shift", () => {
  expect(
    bodyOf(
      bytes((a, b, m) =>
        a
          .mul(m)
          .add(b.mul(m.neg().add(255)))
          .add(127)
          .floorDiv(255),
      ),
    ),
  ).toBe("out[i] = floorDiv((i32(A[i]) * i32(M[i]) + i32(B[i]) * (-i32(M[i]) + 255) + 127) * 32897, 8388608)");
  expect(bodyOf(bytes((a, b) => a.sub(b).floorDiv(10)))).toBe(
    "out[i] = floorDiv((i32(A[i]) - i32(B[i]) + 260) * 205, 2048) - 26",
  );
});

test("a remainder is what the quotient leaves", () => {
  expect(bodyOf(bytes((a) => a.mod(10)))).toBe("out[i] = i32(A[i]) - floorDiv(i32(A[i]) * 205, 2048) * 10");
});

test("shifts, large numbers and places stay", () => {
  const ofPlaces = defineOp({}, () => {
    const A = tensor("A", [100], "i32");
    return compute("out", [300], (i) => A(i.floorDiv(3)).add(i.mod(3)));
  });
  const all = [bytes((a) => a.floorDiv(16)), bytes((a) => a.mul(1 << 20).floorDiv(255)), ofPlaces];
  for (const def of all.map(defOf)) expect(withProductQuotients(def)).toBe(def);
});

test("all values of a range have the quotients and remainders that they had", () => {
  const rng = rngOf("constant quotients");
  const values = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768);
  let changed = 0;
  for (let number = 0; number < fewer(12); number++) {
    const [least, most] = [-rng.below(2 ** rng.below(15)), 3 + rng.below(2 ** (4 + rng.below(11)))];
    const divisor = 3 + rng.below(Math.min(1000, most));
    const def = defOf(
      defineOp({}, () => {
        const A = tensor("A", [values.length], "i16");
        const value = (i: authoring.Expr<"i32">) => cast(A(i), "i32").max(least).min(most);
        return {
          quotient: compute("quotient", [values.length], (i) => value(i).floorDiv(divisor)),
          remainder: compute("remainder", [values.length], (i) => value(i).mod(divisor)),
        };
      }),
    );
    const other = withProductQuotients(def);
    if (other !== def) changed++;
    expect(evaluate(other, { A: values }), `${least} … ${most} by ${divisor}`).toEqual(evaluate(def, { A: values }));
  }
  expect(changed).toBeGreaterThan(0);
});
