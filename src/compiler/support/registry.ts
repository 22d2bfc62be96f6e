// A table by name that others may add to: the same value twice is one, another under a taken name is refused.

import { refuse } from "./diagnostic.ts";

/** @throws DiagnosticError `backend.taken` */
export function addTo<T extends { readonly name: string }>(table: Map<string, T>, value: T): void {
  const known = table.get(value.name);
  if (known !== undefined && known !== value) {
    const hint = "give it a name of its own; a back end is one value, made once";
    throw refuse("backend.taken", `"${value.name}" is the name of another back end, target or instruction`, hint);
  }
  table.set(value.name, value);
}
