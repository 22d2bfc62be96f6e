// Nest that copies an operand of products out of memory → loads. What is a choice between an element and 0 becomes padding.
//
//   A.pack[r*32 + c] = select(i*8 + r < 20, A[(i*8 + r)*37 + c], 0)   →   load inputs[…] <- A[…] 4x32 stride 37 pad 0 4 0 0

import type { Expr, Load } from "../../../src/compiler/index.ts";
import { boxOf, type Known, merged, rangesWhere, separated, within } from "./box.ts";
import type { Emitter } from "./emitter.ts";
import { conditionForms, type Nest } from "./nest.ts";
import { Refusal } from "./refusal.ts";
import { emitLoad } from "./transfer.ts";

export function emitFill(emitter: Emitter, { loops, conditions, store }: Nest, known: Known): void {
  const place = emitter.place(store.buffer);
  const { source, present } = elementOf(store.value);
  const [local, remote] = [store.indices[0], source.indices[0]];
  if (!place || !local || !remote || !emitter.memory(source.buffer)) {
    throw new Refusal(`${store.buffer} is not copied out of memory, but from ${source.buffer}`);
  }
  const box = boxOf(loops, [local, remote, ...conditions, ...present], known);
  const moved = { ...box, at: box.at.map((value, form) => (form === 0 ? value + place.address : value)) };
  const checks = conditions.map((_, at) => 2 + at);
  const padding = present.map((_, at) => 2 + conditions.length + at);
  for (const part of separated(merged(moved), [...checks, ...padding])) {
    const ranges = rangesWhere(part, checks);
    if (!ranges) continue;
    emitLoad(
      emitter,
      { kind: "load", scratchpad: place.scratchpad, buffer: source.buffer },
      within(part, ranges),
      padding,
    );
  }
}

/** The element that is copied, and the forms that are not negative where it is; elsewhere 0 is. */
function elementOf(value: Expr): { readonly source: Load; readonly present: readonly Expr[] } {
  if (value.kind === "load") return { source: value, present: [] };
  if (value.kind !== "select" || value.else.kind !== "const" || value.else.value !== 0) {
    throw new Refusal("an operand of a product is computed, not copied: it has to be stored in memory first");
  }
  const { source, present } = elementOf(value.then);
  return { source, present: [...conditionForms(value.condition), ...present] };
}
