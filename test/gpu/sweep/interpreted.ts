// Executor of the sweep that needs no GPU: threads of a group run in lockstep in the interpreter, and shadow cells tell of races, of
// accesses outside of buffers and of elements that nobody has stored.

import type { LoopFunc, TypedArray } from "../../../src/compiler/index.ts";
import { accessFindings, type Element, printFinding } from "../../../src/compiler/ir/access-findings.ts";
import { mismatch } from "../../../src/native/runner/compare.ts";
import type { KernelArray } from "../../../src/native/runner/protocol.ts";
import type { Reference } from "../../support/reference.ts";

/** Returns what is wrong with the results or the accesses; null: nothing. */
export function wrongInterpreted(reference: Reference, flat: LoopFunc): string | null {
  let text: string | null = null;
  const wrongOf = (outputs: Readonly<Record<string, TypedArray>>): Element | null => {
    for (const each of reference.expected) {
      const { name, shape } = each.parameter;
      text = mismatch(each, outputs[name] as KernelArray);
      if (text !== null) return { buffer: name, element: offsetIn(text, shape) };
    }
    return null;
  };
  try {
    const { findings } = accessFindings(flat, reference.inputsByName, wrongOf);
    const found = findings.map(printFinding).join("\n");
    return text === null && found === "" ? null : [text, found].filter((it) => it).join("\n");
  } catch (error) {
    return (error as Error).message;
  }
}

/** The element that a text names: "C[1, 3] is 5, the reference gives 6". */
function offsetIn(text: string, shape: readonly number[]): number {
  const indices = (/\[([\d, ]*)\]/.exec(text)?.[1] ?? "").split(",").map(Number);
  return indices.reduce((offset, index, dim) => offset * (shape[dim] ?? 1) + index, 0);
}
