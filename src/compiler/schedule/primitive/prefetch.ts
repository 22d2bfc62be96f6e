// Ask for cache lines ahead: while an iteration of a loop runs, what a later one is going to touch of a buffer is on its
// way. Its meaning stays what it is.
//
//   for C.k in 0..96                     for C.k in 0..96 (prefetch B: 4)
//     for C.j in 0..16              →      for C.j in 0..16
//       … B[C.k, C.j] …                      … B[C.k, C.j] …
//
//   in C, at the beginning of C.k's body:  __builtin_prefetch(&B[C.k + 4, 0], 0, 3)
//
// Distance 0 is the iteration itself: a tile of C that is first used once the loops inside have run. One hint a cache
// line, at most 64 of them. An iteration that touches a part of a line has a hint of its own: where a line serves many
// iterations, split the loop first. Whether lines are read or written is seen from the loop's body.
//
// The hints are inserted by the lowering, so other instructions never meet them. Later changes of the loop apply to
// them: a split leaves them to the innermost part, whose iterations are those that the distance counts; a loop that
// becomes lanes, or a buffer that is no longer used under it, has none.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { type LinesAhead, linesAhead, mostLines } from "../lines-ahead.ts";
import { bufferNamed, findLoop, type LoopPlace } from "../nest.ts";
import { prefetchWord } from "../prefetch-word.ts";
import type { InstructionOf } from "../trace.ts";
import { withAnnotation } from "./annotate.ts";
import { bufferField, field, integerFrom, loopField } from "./field.ts";
import { illegal, noSuchLoop, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

type Args = InstructionOf<"prefetch">;

export const prefetch = definePrimitive({
  kind: "prefetch",
  fields: [bufferField, loopField, field("distance", integerFrom(0))],
  role: "mark",

  check(nest, args) {
    const { buffer: name, loop, distance } = args;
    const no = (code: ReasonOf<"prefetch">, text: string) => illegal(`prefetch.${code}`, nest, [loop], text);
    const buffer = bufferNamed(nest, name);
    if (!buffer) return no("no-such-buffer", `there is no buffer ${name}`);
    const place = findLoop(nest, loop);
    if (!place) return noSuchLoop("prefetch.no-such-loop", nest, loop);
    if (!Number.isSafeInteger(distance) || distance < 0) {
      return no("bad-distance", `${distance} iterations ahead, an integer from 0 on is wanted`);
    }
    if (buffer.memory === "register") return no("register", `${name} is held in registers`);
    if (place.loop.annotations[prefetchWord(name)] !== undefined) {
      return no("twice", `the lines of ${name} are asked for at ${loop} already`);
    }
    if (place.loop.extent < 2) return no("one-iteration", `${loop} has one iteration, of which no loop is left`);
    return checkOrder(nest, place) ?? whyNot(nest, args, linesAhead(place, buffer, distance));
  },

  apply: (nest, { buffer, loop, distance }) => withAnnotation(nest, loop, prefetchWord(buffer), distance),
  print: ({ buffer, loop, distance }) => `prefetch ${buffer} at ${loop} distance ${distance}`,
});

function checkOrder(nest: LoopFunc, { loop, around }: LoopPlace): Diagnostic | null {
  const isOne = around.find(({ mark }) => mark.startsWith("tensorized "));
  const guilty = isOne ?? (loop.mark === "serial" || loop.mark === "unrolled" ? null : loop);
  if (!guilty) return null;
  const text = `${guilty.name} is ${guilty.mark}, no iteration is the next one`;
  return illegal("prefetch.unordered", nest, [guilty.name], text);
}

function whyNot(nest: LoopFunc, { buffer, loop, distance }: Args, lines: LinesAhead): Diagnostic | null {
  const no = (code: ReasonOf<"prefetch">, text: string, hint: string | null = null) =>
    illegal(`prefetch.${code}`, nest, [loop], text, hint);
  switch (lines.kind) {
    case "lines":
      return null;
    case "not-used":
      return no("not-used", `${buffer} is neither read nor written under ${loop}`);
    case "not-affine":
      return no("not-affine", `${buffer} is not used at affine indices under ${loop}`);
    case "same":
      return no("same", `all iterations of ${loop} use the same part of ${buffer}`, "prefetch at a loop that moves it");
    case "beyond":
      return no("beyond", `${distance} iterations of ${loop} ahead ${buffer} has ended`);
    case "too-many": {
      const text = `an iteration of ${loop} touches ${lines.lines} lines of ${buffer}, hints are for ${mostLines} at most`;
      return no("too-many-lines", text, "prefetch at a loop inside");
    }
  }
}
