// Tokens: enough of them that no units are in each other's way, and none of them for nothing.

import { expect, test } from "vitest";
import { type Instruction, noPadding, type Operation, type Program, type Unit, unitOf } from "../isa/instruction.ts";
import { vta } from "../machine.ts";
import { simulate } from "../simulator/simulate.ts";
import { withTokens } from "./tokens.ts";

/** Two products after each other, the second on other inputs in the same places, and with sums in the same place. */
const operations = [0, 256].flatMap((offset): readonly Operation[] => {
  const rectangle = { rows: 16, columns: 16, stride: 16, pitch: 16, offset, address: 0 };
  const loops = [{ count: 16, steps: [16, 16, 0] }];
  return [
    { kind: "load", scratchpad: "inputs", buffer: "A", ...rectangle, padding: noPadding },
    { kind: "load", scratchpad: "weights", buffer: "B", ...rectangle, padding: noPadding },
    { kind: "product", resets: true, sums: 0, inputs: 0, weights: 0, loops },
    { kind: "product", resets: false, sums: 0, inputs: 0, weights: 0, loops },
    { kind: "store", scratchpad: "sums", buffer: "C", ...rectangle },
  ];
});

const programOf = (instructions: readonly Instruction[]): Program => ({
  name: "two_products",
  buffers: [
    { name: "A", dtype: "i8", length: 512, role: "input" },
    { name: "B", dtype: "i8", length: 512, role: "input" },
    { name: "C", dtype: "i32", length: 512, role: "output" },
  ],
  instructions,
});

test("the last instruction that is in the way gives the token", () => {
  const told = withTokens(operations).map(
    (it) => `${it.kind} waits ${it.waits.join(" ")} signals ${it.signals.join(" ")}`,
  );
  expect(told).toMatchInlineSnapshot(`
    [
      "load waits  signals ",
      "load waits  signals compute",
      "product waits  signals ",
      "product waits load signals load store",
      "store waits compute signals compute",
      "load waits compute signals ",
      "load waits  signals compute",
      "product waits store signals ",
      "product waits load signals store",
      "store waits compute signals ",
    ]
  `);
});

test("no two units are in each other's way, and without any one token two are", () => {
  const instructions = withTokens(operations);
  expect(() => simulate(programOf(instructions), vta, new Map())).not.toThrow();
  const waits = instructions.flatMap(({ waits }, at) => waits.map((giver) => ({ at, giver })));
  for (const { at, giver } of waits) {
    const without = withoutToken(instructions, at, giver);
    expect(() => simulate(programOf(without), vta, new Map())).toThrow("without a token");
  }
});

/** Leaves out what an instruction waits for, and the token that was meant for it. */
function withoutToken(instructions: readonly Instruction[], at: number, giver: Unit): readonly Instruction[] {
  const waiting = instructions[at];
  const taker = waiting ? unitOf(waiting) : giver;
  const earlier = instructions.slice(0, at).filter((it) => unitOf(it) === taker && it.waits.includes(giver)).length;
  const given = instructions.flatMap((it, place) =>
    unitOf(it) === giver && it.signals.includes(taker) ? [place] : [],
  )[earlier];
  return instructions.map((it, place) => ({
    ...it,
    ...(place === at && { waits: it.waits.filter((unit) => unit !== giver) }),
    ...(place === given && { signals: it.signals.filter((unit) => unit !== taker) }),
  }));
}
