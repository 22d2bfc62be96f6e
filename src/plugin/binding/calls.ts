// Parts of the calls that an emitted module exports: the list of arguments, the outputs that were not given, what is returned.

import { arrayTypes, type KernelParameter } from "../../compiler/index.ts";

/** A tensor, and its place in the order of the operator: it is `a<place>` in the text. */
export interface Placed {
  readonly tensor: KernelParameter;
  readonly at: number;
}

export const placed = (tensors: readonly KernelParameter[]): readonly Placed[] =>
  tensors.map((tensor, at) => ({ tensor, at }));

export const withRole = (all: readonly Placed[], role: KernelParameter["role"]): readonly Placed[] =>
  all.filter(({ tensor }) => tensor.role === role);

/** `a0, a1, a2` */
export const listOf = (all: readonly Placed[], text = (at: number): string => `a${at}`): string =>
  all.map(({ at }) => text(at)).join(", ");

/** `a0.slice(), a1.slice()` */
export const copiesOf = (all: readonly Placed[]): string => listOf(withRole(all, "input"), (at) => `a${at}.slice()`);

/** `a2`, or `{ "mean": a2, "variance": a3 }`. */
export function resultText(all: readonly Placed[]): string {
  const outputs = withRole(all, "output");
  if (outputs.length === 1) return listOf(outputs);
  return `{ ${outputs.map(({ tensor, at }) => `${JSON.stringify(tensor.name)}: a${at}`).join(", ")} }`;
}

/** `a2.set(results[0]);` */
export const takeResults = (all: readonly Placed[]): string =>
  withRole(all, "output")
    .map(({ at }, position) => `a${at}.set(results[${position}]);`)
    .join(" ");

/** Checks the number of arguments, makes the outputs that were not given, and takes pixels as bytes: the start of every call. */
export function preludeText(all: readonly Placed[], refuse = "refuseCount"): string {
  const made = withRole(all, "output").map(({ tensor: { dtype, length }, at }) => {
    return `a${at} = new ${arrayTypes[dtype].name}(${length});`;
  });
  const bytes = all.filter(({ tensor }) => tensor.dtype === "u8").map(({ at }) => `\n    a${at} = asBytes(a${at});`);
  return `if (arguments.length === ${withRole(all, "input").length}) {
      ${made.join("\n      ")}
    } else if (arguments.length !== ${all.length}) ${refuse}(arguments.length);${bytes.join("")}`;
}
