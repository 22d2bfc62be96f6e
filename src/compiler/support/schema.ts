// Data that was written by another version: a schema number says which, and a table brings it up to date a step at a time.

/** Steps from a schema to the next one, by the number of the earlier. */
export type Upgrades = Readonly<Record<number, (value: unknown) => unknown>>;

export type Upgraded =
  | { readonly kind: "ok"; readonly value: unknown }
  /** A later version wrote it, or no version ever used the number. */
  | { readonly kind: "unknown"; readonly schema: number };

/** Data of a schema, as it is in the current one. */
export function upgrade(value: unknown, schema: number, current: number, upgrades: Upgrades): Upgraded {
  let upgraded = value;
  for (let at = schema; at !== current; at++) {
    const step = upgrades[at];
    if (!step || at > current) return { kind: "unknown", schema };
    upgraded = step(upgraded);
  }
  return { kind: "ok", value: upgraded };
}
