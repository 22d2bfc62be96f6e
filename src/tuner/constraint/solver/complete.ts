// From the decisions of a schedule to all its variables: key values → full assignment.

import { type Assignment, invariant } from "../../../compiler/index.ts";
import type { CompiledModel } from "./compile.ts";
import { readAssignment, restrict } from "./sample.ts";

/**
 * Completes key values to a full assignment. Null: some constraint forbids them. Keys left out must follow from the others.
 */
export function complete(compiled: CompiledModel, keys: Assignment): Assignment | null {
  if (!compiled.feasible) return null;
  const restrictions: Record<string, readonly number[]> = {};
  for (const [name, value] of Object.entries(keys)) {
    if (!compiled.ids.has(name)) return null;
    restrictions[name] = [value];
  }
  if (!restrict(compiled, restrictions)) return null;
  for (const { name, domain } of compiled.model.variables) {
    const id = compiled.ids.get(name)!;
    invariant(compiled.engine.store.isFixed(id), `${name} (${JSON.stringify(domain)}) does not follow from the keys`);
  }
  return readAssignment(compiled);
}

/** Returns the key variables of a full assignment. */
export function keysOf(compiled: CompiledModel, assignment: Assignment): Assignment {
  const keys: Record<string, number> = {};
  for (const { name, key } of compiled.model.variables) if (key) keys[name] = assignment[name]!;
  return keys;
}
