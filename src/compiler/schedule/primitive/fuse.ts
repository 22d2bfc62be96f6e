// Fuse two loops, one directly inside the other, into one.
//
//   for C.i in 0..6           for C.i+C.j in 0..96
//     for C.j in 0..16    →     C[(C.i+C.j) / 16, (C.i+C.j) % 16] = …
//       C[C.i, C.j] = …

import type { Expr } from "../../ir/loop-ir.ts";
import { updateFor } from "../../ir/update.ts";
import { invariant } from "../../support/invariant.ts";
import { blocksIn, findLoop, reduceVars, replaceLoop, substituteInBlocks } from "../nest.ts";
import { loopFieldNamed } from "./field.ts";
import { illegal, noSuchLoop } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const fuse = definePrimitive({
  kind: "fuse",
  fields: [loopFieldNamed("outer"), loopFieldNamed("inner")],
  role: "step",

  check(nest, { outer, inner }) {
    const place = findLoop(nest, outer);
    if (!place) return noSuchLoop("fuse.no-such-loop", nest, outer);
    const { body } = place.loop;
    if (body.kind !== "for" || body.name !== inner) {
      return illegal("fuse.not-nested", nest, [outer, inner], `${inner} is not directly inside ${outer}`);
    }
    if (place.loop.mark !== "serial" || body.mark !== "serial") {
      return illegal("fuse.marked", nest, [outer, inner], "a marked loop cannot be fused", "fuse first, mark then");
    }
    const mixed = blocksIn(body.body).find((it) => reduceVars(it).has(outer) !== reduceVars(it).has(inner));
    if (mixed) {
      return illegal(
        "fuse.mixed",
        nest,
        [outer, inner],
        `one loop drives the reduction of ${mixed.name}, the other does not, so the first step of a sum would be lost`,
        "fuse loops of one kind",
      );
    }
    return null;
  },

  apply(nest, { outer, inner }) {
    return replaceLoop(nest, outer, (loop) => {
      const { body } = loop;
      invariant(body.kind === "for", "fuse was checked");
      const name = `${outer}+${inner}`;
      const part = (op: "floorDiv" | "mod"): Expr => ({
        kind: "binary",
        dtype: "i32",
        op,
        left: { kind: "var", dtype: "i32", name },
        right: { kind: "const", dtype: "i32", value: body.extent },
      });
      const parts = new Map([
        [outer, part("floorDiv")],
        [inner, part("mod")],
      ]);
      return updateFor(loop, {
        name,
        extent: loop.extent * body.extent,
        body: substituteInBlocks(body.body, parts),
      });
    });
  },

  print: ({ outer, inner }) => `fuse ${outer} ${inner}`,
});
