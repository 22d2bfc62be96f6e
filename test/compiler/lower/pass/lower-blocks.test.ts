// What surplus instances read and write, beyond the ends of a masked loop.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { interpret, printStmt, schedule, type Trace, targets } from "../../../../src/compiler/index.ts";
import { inputsOf, twoGemms } from "../../schedule/nests.ts";

/** The text behind the pass, once every pass has kept the meaning. */
function lowered(trace: Trace): string {
  const nest = schedule(twoGemms, trace);
  const inputs = inputsOf(nest);
  const wanted = interpret(twoGemms, inputs);
  let text = "";
  lower(nest, {
    target: targets.wasm,
    numerics: "fast",
    dump(pass, func) {
      if (pass === "lower-blocks") text = printStmt(func.body);
      expect(interpret(func, inputs), pass).toEqual(wanted);
    },
  });
  return text;
}

test("no read, beyond its end, of storage that was moved out of the loop", () => {
  const text = lowered([
    { kind: "compute-at", block: "C", loop: "D.i" },
    { kind: "hoist-storage", buffer: "C", loop: null, reuse: "none" },
    { kind: "split", loop: "D.i", factors: [0, 2, 3], tail: "mask" },
    { kind: "vectorize", loop: "D.i.1" },
    { kind: "cache-write", block: "C", loop: "C.k", scope: "workspace" },
  ]);
  expect(text).toContain("select(D.i.1 * 3 + D.i.2 < 5, C[D.i.1 * 3 + D.i.2, C.j], 0.0)");
});

test("no initialisation of partial results that the factored loop does not have", () => {
  const text = lowered([
    { kind: "rfactor", loop: "C.k" },
    { kind: "split", loop: "C.k", factors: [3, 5], tail: "mask" },
    { kind: "unroll", loop: "C.k.1" },
  ]);
  expect(text).toContain("if C.k.0 * 5 + C.k.1 < 3");
});
