// Locals that are needed no more give their names to later ones of the same type. What is unrolled then repeats its text to the letter but for
// its numbers, and compresses well: a register allocation for the sake of bytes.

import { isBlock, letOf, namesIn, type Statement, statementsOf, withNames } from "./statements.ts";
import { type Group, isGroup, type Node } from "./token-tree.ts";

/** Types of the elements of arrays, by the names of these. */
export type ElementTypes = ReadonlyMap<string, string>;

/** Reads the types of all arrays of a text. */
export function elementTypesOf(nodes: readonly Node[]): ElementTypes {
  const types = new Map<string, string>();
  for (const [at, node] of nodes.entries()) {
    const [, type] = /^array<([\w]+)/.exec(typeof node === "string" ? node : "") ?? [];
    if (type !== undefined && nodes[at - 1] === ":") types.set(nodes[at - 2] as string, type);
  }
  return types;
}

export const reuseNames = (body: Group, types: ElementTypes): Group => ({
  ...body,
  nodes: reusedIn(body.nodes, types),
});

/** The type of a value, where its text tells; null: it does not. */
function typeOf([first, group, ...rest]: readonly Node[], types: ElementTypes): string | null {
  if (typeof first !== "string" || group === undefined || !isGroup(group) || rest.length > 0) return null;
  if (group.open === "[") return types.get(first) ?? null;
  return /^vec[234][fiu]$/.test(first) ? first : null;
}

/** A name that locals of one type have, one after another. */
interface Slot {
  readonly name: string;
  readonly type: string;
  /** Place of the statement that declares it. */
  readonly declaredAt: number;
  /** Place of the last statement that uses its local of now. */
  lastUse: number;
  isShared: boolean;
}

function reusedIn(nodes: readonly Node[], types: ElementTypes): readonly Node[] {
  const statements = statementsOf(nodes);
  const lastUses = new Map(statements.flatMap((statement, at) => [...namesIn(statement)].map((name) => [name, at])));
  const slots: Slot[] = [];
  const renamed = new Map<string, readonly Node[]>();
  const result = statements.map((given, at): Statement => {
    const local = letOf(given);
    const type = local && typeOf(local.value, types);
    // The value of a statement is computed before it is assigned, with the names of before.
    const statement = withNames(given, renamed);
    if (!local || type === null) return statement;
    const lastUse = lastUses.get(local.name)!;
    const free = slots.find((slot) => slot.type === type && slot.lastUse <= at);
    if (!free) {
      slots.push({ name: local.name, type, declaredAt: at, lastUse, isShared: false });
      return statement;
    }
    Object.assign(free, { lastUse, isShared: true });
    renamed.set(local.name, [free.name]);
    return [free.name, ...statement.slice(2)];
  });
  for (const { declaredAt, isShared } of slots) {
    if (isShared) result[declaredAt] = ["var", ...result[declaredAt]!.slice(1)];
  }
  return result.flatMap((statement) =>
    statement.map((node) => (isBlock(node) ? { ...node, nodes: reusedIn(node.nodes, types) } : node)),
  );
}
