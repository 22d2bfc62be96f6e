import { expect, test } from "vitest";
import {
  constInt,
  constOf,
  eq,
  forLoop,
  ge,
  ifThen,
  prefetch,
  seq,
  store,
  variable,
} from "../../../../src/compiler/ir/build.ts";
import { printStmt } from "../../../../src/compiler/ir/print.ts";
import { hoistConditions } from "../../../../src/compiler/lower/pass/hoist-conditions.ts";
import { targets } from "../../../../src/compiler/target/targets.ts";

const k = variable("k");
const write = (at: number) => store({ name: "C" }, [constInt(at)], constOf("f32", 0));

test("neighbours of which one excludes the other stay apart", () => {
  const body = forLoop("k", 4, seq(ifThen(ge(k, constInt(3)), write(0)), ifThen(eq(k, constInt(0)), write(1))));
  const { body: after } = hoistConditions.run(
    { name: "f", buffers: [], body },
    { target: targets.avx2, numerics: "fast" },
  );
  expect(printStmt(after)).toBe(printStmt(body));
});

test("of neighbours the stronger condition goes into the weaker", () => {
  const body = forLoop("k", 4, seq(ifThen(ge(k, constInt(3)), write(0)), ifThen(ge(k, constInt(1)), write(1))));
  const { body: after } = hoistConditions.run(
    { name: "f", buffers: [], body },
    { target: targets.avx2, numerics: "fast" },
  );
  expect(printStmt(after)).toMatchInlineSnapshot(`
    "for k in 0..4
      if k >= 1
        if k >= 3
          C[0] = 0.0
        C[1] = 0.0"
  `);
});

test("hints go with the one condition that the rest is under, and stay where something else is not", () => {
  const hint = prefetch({ name: "C" }, [k], false);
  const after = (...rest: readonly ReturnType<typeof write>[]) =>
    printStmt(
      hoistConditions.run(
        {
          name: "f",
          buffers: [],
          body: forLoop("k", 4, seq(hint, ifThen(ge(variable("i"), constInt(3)), write(0)), ...rest)),
        },
        { target: targets.avx2, numerics: "fast" },
      ).body,
    );
  expect(after()).toMatchInlineSnapshot(`
    "if i >= 3
      for k in 0..4
        prefetch C[k]
        C[0] = 0.0"
  `);
  expect(after(write(1))).toMatchInlineSnapshot(`
    "for k in 0..4
      prefetch C[k]
      if i >= 3
        C[0] = 0.0
      C[1] = 0.0"
  `);
});
