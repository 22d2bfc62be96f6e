// State of the printer of one launch: names, helpers, the forms of its buffers, and lines that go before the statement at hand.

import type { Expr } from "../../ir/loop-ir.ts";
import type { Ranges } from "../../ir/ranges.ts";
import type { BufferForm } from "./buffer-form.ts";
import type { HelperName } from "./run-time.ts";
import type { SharedVectors } from "./shared-vectors.ts";
import type { Tiles } from "./tile-statement.ts";

export interface WgslContext {
  readonly names: (irName: string) => string;
  /** Notes that a helper is needed and gives its name. */
  readonly use: (helper: HelperName) => string;
  readonly forms: ReadonlyMap<string, BufferForm>;
  /** Name under which a buffer is declared for the launch. */
  readonly bufferName: (buffer: string) => string;
  /** Names of the locals that are assigned after their definition. */
  readonly assigned: ReadonlySet<string>;
  /** Names of the locals of four bytes that are kept as one u32. */
  readonly words: ReadonlySet<string>;
  /** Ranges of the variables around the statement at hand. */
  readonly ranges: Ranges;
  /** Lines before the statement at hand. They compute what it names, and change nothing. */
  readonly before: string[];
  /** Depths of expressions that were printed. */
  readonly depths: Map<Expr, number>;
  readonly fresh: (stem: string) => string;
  /** Tiles that lanes of a warp hold together. */
  readonly tiles: Tiles;
  /** Vectors of which the statements around read several elements: each is loaded once. */
  readonly shared: SharedVectors;
  /** Whether a group is one thread. */
  readonly isAlone: boolean;
  /** Whether threads of a group may meet in memory that is not the group's own. */
  readonly meetsOutside: boolean;
}

/** Gives a value a name, unless it is as short as one. */
export function bound(text: string, context: WgslContext): string {
  if (/^(\w+|\d+(\.\d+)?f?)$/.test(text)) return text;
  const name = context.fresh("v");
  context.before.push(`let ${name} = ${text};`);
  return name;
}
