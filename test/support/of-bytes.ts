// Operators whose elements are made of the bytes of one to three images, of 100 pixels each, as words.

import { authoring, type ComputeDef, instantiate, type Op, printComputeDef } from "../../src/compiler/index.ts";

const { cast, compute, defineOp, tensor } = authoring;

export type Word = authoring.Expr<"i32">;

/** @example ofBytes((a, b) => a.add(b).min(255)) */
export const ofBytes = (element: (a: Word, b: Word, m: Word) => authoring.Expr): Op =>
  defineOp({}, () => {
    const images = ["A", "B", "M"].slice(0, element.length).map((name) => tensor(name, [100], "u8"));
    return compute("out", [100], (i) => {
      const [a, b, m] = images.map((image) => cast(image(i), "i32"));
      return element(a!, b!, m!) as never;
    });
  });

export const defOf = (op: Op): ComputeDef => instantiate(op, {}, "op");

/** The first stage as it is printed, without its axes. */
export const bodyOf = (def: ComputeDef): string =>
  printComputeDef(def)
    .split("\n")[1]!
    .replace(/ {2}.*$/, "");
