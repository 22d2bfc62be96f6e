// Traces of drawn instructions, and what the functions that they make compute.

import {
  type Instruction,
  interpret,
  type LoopFunc,
  replay,
  type Trace,
  type TypedArray,
} from "../../src/compiler/index.ts";
import { drawInstruction } from "./random-instruction.ts";

/** Returns the legal ones among the instructions drawn, and the nest behind them. */
export function legalTrace(
  nest: LoopFunc,
  seeds: readonly number[],
  draw: (nest: LoopFunc, seed: number) => Instruction = drawInstruction,
): { readonly trace: Trace; readonly after: LoopFunc } {
  let after = nest;
  const trace = seeds.flatMap((seed) => {
    const instruction = draw(after, seed);
    const next = replay(after, [instruction]);
    if (next.kind === "illegal") return [];
    after = next.nest;
    return [instruction];
  });
  return { trace, after };
}

/** The outputs, or what the interpreter refuses. */
export function outcome(func: LoopFunc, inputs: Readonly<Record<string, TypedArray>>): unknown {
  try {
    return interpret(func, inputs);
  } catch (error) {
    return (error as Error).message;
  }
}
