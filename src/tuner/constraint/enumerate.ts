// All solutions of a model, in a fixed order: for tests and small spaces. Schedule spaces have up to 10¹³.

import type { Assignment } from "../../compiler/index.ts";
import type { CompiledModel } from "./compile.ts";
import type { VariableId } from "./normal-form.ts";
import { type Restrictions, readAssignment, restrict } from "./sample.ts";

/** Nothing else may use the compiled model while the generator runs. */
export function* enumerate(compiled: CompiledModel, restrictions: Restrictions = {}): Generator<Assignment> {
  if (!compiled.feasible || !restrict(compiled, restrictions)) return;
  const { store } = compiled.engine;
  const listed = compiled.normal.variables.flatMap((_, id) => (store.values[id] ? [id] : []));
  const isKey = new Set(compiled.keys);
  yield* descend(compiled, [...compiled.keys, ...listed.filter((id) => !isKey.has(id))], 0);
}

function* descend(compiled: CompiledModel, order: readonly VariableId[], position: number): Generator<Assignment> {
  const id = order[position];
  if (id === undefined) {
    yield readAssignment(compiled);
    return;
  }
  const { engine } = compiled;
  const frame = engine.store.save();
  for (const index of engine.store.indices(id)) {
    engine.store.restore(frame);
    if (engine.store.fixIndex(id, index) && engine.propagate()) yield* descend(compiled, order, position + 1);
  }
}
