// All solutions of a model, in a fixed order: for tests and small spaces. Schedule spaces have up to 10¹³.

import type { Assignment } from "../../../compiler/index.ts";
import type { StoreFrame } from "../domain-store.ts";
import type { VariableId } from "../normal-form.ts";
import type { CompiledModel } from "./compile.ts";
import { type Restrictions, readAssignment, restrict } from "./sample.ts";

/** A variable that is being branched on. */
interface Branch {
  readonly position: number;
  readonly id: VariableId;
  readonly frame: StoreFrame;
  /** Indices still to be tried, the next one last. */
  readonly left: number[];
}

/**
 * Yields all solutions in a fixed order. Nothing else may use the compiled model while the generator runs.
 *
 * @param mostSteps decisions made and taken back after which it gives up; default: no limit
 */
export function* enumerate(
  compiled: CompiledModel,
  restrictions: Restrictions = {},
  mostSteps: number = Number.POSITIVE_INFINITY,
): Generator<Assignment> {
  if (!compiled.feasible || !restrict(compiled, restrictions)) return;
  const { engine, keys, others } = compiled;
  const { store } = engine;
  const order = [...keys, ...others];
  const branches: Branch[] = [];
  for (let [position, holds, steps] = [0, true, 0]; steps < mostSteps; steps++) {
    while (holds && position < order.length && store.isFixed(order[position]!)) position++;
    if (holds && position === order.length) yield readAssignment(compiled);
    else if (holds) {
      const frame = store.frameAt(branches.length);
      store.saveTo(frame);
      const id = order[position]!;
      branches.push({ position, id, frame, left: store.indices(id).reverse() });
    }
    while (branches.at(-1)?.left.length === 0) branches.pop();
    const branch = branches.at(-1);
    if (!branch) return;
    store.restore(branch.frame);
    holds = store.fixIndex(branch.id, branch.left.pop()!) && engine.propagate();
    position = branch.position + 1;
  }
}
