import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { type Instruction, instructionCalls, type Trace, traceToTypeScript } from "../../../../src/compiler/index.ts";
import { callOf } from "../../../../src/compiler/schedule/replay/instruction-call.ts";
import { everyInstruction } from "../../../support/every-instruction.ts";
import { drawInstruction } from "../../../support/random-instruction.ts";
import { gemm, twoGemms } from "../nests.ts";

/** Runs a printed module with `template` in the place of its import. */
function evaluated(text: string): { readonly name: string; readonly trace: Trace } {
  const body = text.replace(/^import .*;$/m, "").replace("export default", "return");
  const template = (name: string, write: (t: object) => void): unknown => {
    const trace: Instruction[] = [];
    write(instructionCalls<number>((instruction) => trace.push(instruction)));
    return { name, trace };
  };
  return new Function("template", body)(template);
}

test("a trace of every kind of instruction, printed and evaluated, is the same trace", () => {
  expect(evaluated(traceToTypeScript(everyInstruction, { name: 'all "kinds"' }))).toEqual({
    name: 'all "kinds"',
    trace: everyInstruction,
  });
});

property.prop([fc.constantFrom(gemm(), twoGemms), fc.array(fc.nat(), { maxLength: 6 })])(
  "so is any other",
  (nest, seeds) => {
    const trace = seeds.map((seed) => drawInstruction(nest, seed));
    expect(evaluated(traceToTypeScript(trace)).trace).toEqual(trace);
  },
);

test("what leaving an argument out says is left out", () => {
  expect(
    traceToTypeScript([
      { kind: "split", loop: "C.i", factors: [4, 6], tail: "perfect" },
      { kind: "split", loop: "C.j", factors: [0, 8], tail: "cut" },
      { kind: "unroll", loop: "C.i.1" },
      { kind: "unroll", loop: "C.k", depth: 4 },
      { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
      { kind: "cache-read", buffer: "B", loop: "C.k", layout: [{ dim: 0, part: "whole", tile: 1 }] },
      { kind: "hoist-storage", buffer: "P", loop: null, reuse: "none" },
    ]),
  ).toBe(`import { template } from "unplugin-kernel/api";

export default template("by hand", (t) => {
  t.split("C.i", [4, 6]);
  t.split("C.j", [0, 8], "cut");
  t.unroll("C.i.1");
  t.unroll("C.k", 4);
  t.cacheWrite("C", "C.j.0");
  t.cacheRead("B", "C.k", [{ dim: 0, part: "whole", tile: 1 }]);
  t.hoistStorage("P", null);
});
`);
});

test("a kind without an order of arguments takes them as one object", () => {
  const later = { kind: "fission", loop: "C.i" } as unknown as Instruction;
  expect(callOf(later)).toEqual({ method: "fission", args: [{ loop: "C.i" }] });
});
