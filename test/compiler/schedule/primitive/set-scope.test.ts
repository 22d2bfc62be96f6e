import { expect, test } from "vitest";
import { blur, buffersAfter, refusal, scheduled } from "../nests.ts";

test("an intermediate buffer to registers", () => {
  const toRegister = { kind: "set-scope", buffer: "P", scope: "register" } as const;
  expect(scheduled(blur, toRegister)).toBe(scheduled(blur));
  expect(buffersAfter(blur, toRegister)).toEqual(["input X f32[10]", "output Q f32[9]", "register P f32[10]"]);
});

test("no such buffer", () => {
  expect(refusal(blur, { kind: "set-scope", buffer: "Z", scope: "register" })).toMatchInlineSnapshot(`
    "set-scope.no-such-buffer: there is no buffer Z
       for P.i in 0..10
         block P (i = P.i in 0..10)
           P[i] = X[i] * 2.0
       for Q.i in 0..9
         block Q (i = Q.i in 0..9)
           Q[i] = P[i] + P[i + 1]"
  `);
});

test("an input", () => {
  expect(refusal(blur, { kind: "set-scope", buffer: "X", scope: "register" })).toMatchInlineSnapshot(`
    "set-scope.parameter: X cannot move from input to register
       for P.i in 0..10
         block P (i = P.i in 0..10)
           P[i] = X[i] * 2.0
       for Q.i in 0..9
         block Q (i = Q.i in 0..9)
           Q[i] = P[i] + P[i + 1]"
  `);
});

test("to a parameter", () => {
  expect(refusal(blur, { kind: "set-scope", buffer: "P", scope: "output" })).toMatchInlineSnapshot(`
    "set-scope.parameter: P cannot move from workspace to output
       for P.i in 0..10
         block P (i = P.i in 0..10)
           P[i] = X[i] * 2.0
       for Q.i in 0..9
         block Q (i = Q.i in 0..9)
           Q[i] = P[i] + P[i + 1]"
  `);
});
