// Copies of boxes by the tensor memory accelerator (TMA) → CUDA C. One thread asks for a tile of an array in the memory of the device, which
// arrives in panels of the memory of the group, its pieces of 16 bytes swapped as products want them. Where it arrives is counted by a barrier
// in that memory (mbarrier), one a slot.
//
//   uk_filled3, uk_awaited3    batches so far, whose remainder by the 3 slots is the slot, and whose quotient says the phase of its barrier
//   uk_released3               the same for barriers at which warps release slots, where a thread of its own asks for boxes

import type { DType } from "../../expr/dtype.ts";
import { groupTile } from "../../intrinsic/cuda-wgmma.ts";
import { type Affine, fromAffine, toAffine } from "../../ir/affine.ts";
import { add, constInt, floorDiv, mod } from "../../ir/build.ts";
import type { BoxSync, Expr, Load, Stmt, Store } from "../../ir/loop-ir.ts";
import { lanesOf, walkStmt } from "../../ir/visit.ts";
import { warpLanes } from "../../target/shuffles.ts";
import { cannotRun } from "../cannot.ts";
import { isMultiple } from "./aligned-run.ts";
import { cudaIndex } from "./expression.ts";
import type { StatementContext } from "./statement-context.ts";

type Lines = readonly string[];

const panelBytes = 128;
/** Rows after which the pattern of swapped pieces begins anew, and the most rows of a box. */
const [patternRows, mostRows] = [8, 256];
/** Bytes of a barrier. */
const barrierBytes = 8;

const refuse = (why: string): never => {
  throw cannotRun("cuda", why, "tiles are copied to panels, ahead, by a loop of the whole group");
};

/** Tile of an array, and where it goes. */
interface Box {
  readonly to: Expr;
  readonly from: Expr;
  /** Elements from one row to the next, and of a row of the box. */
  readonly apart: number;
  readonly columns: number;
  readonly rows: number;
}

/** Says whether a store brings a tile of the memory of the device to that of the group. */
export const isBoxCopy = ({ buffer, value }: Store, context: StatementContext): boolean =>
  value.kind === "load" && context.group.has(buffer) && context.global.has(value.buffer);

/** Lines that ask for a tile, by the first lane of the threads that come here. */
export function boxLines(stmt: Store, context: StatementContext): Lines {
  const slots = context.filled.get(stmt.buffer);
  if (slots === undefined || !context.panels.has(stmt.buffer))
    return refuse(`a tile of ${stmt.buffer} is copied at once`);
  const load = stmt.value as Load;
  const { to, from, apart, columns, rows } = boxOf(stmt, load);
  const high = rowsOfBox(rows);
  const map = context.mapOf(load.buffer, { columns: apart, box: [columns, high] });
  const { column, row } = placeIn(from, apart);
  const [x, y, start] = [column, row, to].map((index) => cudaIndex(index, null, context));
  const bytes = high * panelBytes;
  const copies = Array.from({ length: rows / high }, (_, at) => {
    const target = `${context.use("uk_shared")}(&${context.names(stmt.buffer)}[${start} + ${at * high * columns}])`;
    return `${context.use("uk_box")}(${target}, &${map}, ${x}, ${y} + ${at * high}, ${barrierAt("filled", slots, context)}, ${bytes});`;
  });
  return context.isCopier ? copies : ["if (threadIdx.x == 0) {", ...copies.map((line) => `  ${line}`), "}"];
}

function boxOf(stmt: Store, load: Load): Box {
  const [to, from] = [stmt.indices[0]!, load.indices[0]!];
  const columns = groupTile.panel(load.dtype as DType);
  const lanes = lanesOf(load);
  const rows = lanes / columns;
  if (to.kind !== "ramp" || from.kind !== "ramp" || stmt.active || load.active) return refuse("a tile is no box");
  const inner = from.base.kind === "ramp" ? from.base : from;
  const apart = inner === from ? columns : from.stride;
  const isOfRows = inner.stride === 1 && (inner === from ? rows % 1 === 0 : inner.lanes === columns);
  const isRun = to.stride === 1 && to.base.kind !== "ramp" && isMultiple(to.base, patternRows * columns);
  // A row of the box ends before a row of the array does, as both are of whole panels.
  const isInRow = apart % columns === 0 && isMultiple(inner.base, columns);
  if (!isOfRows || !isRun || !isInRow || rows % patternRows !== 0) return refuse(`a tile of ${load.buffer} is no box`);
  return { to: to.base, from: inner.base, apart, columns, rows };
}

/** Rows of one of the boxes that a tile is copied in, which are alike. */
function rowsOfBox(rows: number): number {
  let parts = Math.ceil(rows / mostRows);
  while (rows % parts !== 0 || (rows / parts) % patternRows !== 0) parts++;
  return rows / parts;
}

/** The element of a flat index in rows of so many elements. */
function placeIn(index: Expr, apart: number): { readonly column: Expr; readonly row: Expr } {
  const { terms, constant } = toAffine(index);
  const whole = terms.filter(({ coefficient }) => coefficient % apart === 0);
  const first = Math.floor(constant / apart);
  const rest: Affine = { terms: terms.filter((term) => !whole.includes(term)), constant: constant - first * apart };
  const rows = whole.map((term) => ({ ...term, coefficient: term.coefficient / apart }));
  const left = fromAffine(rest);
  const row = add(fromAffine({ terms: rows, constant: first }), floorDiv(left, constInt(apart)));
  return { column: mod(left, constInt(apart)), row };
}

// ── barriers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const barriers = (slots: number): string => `uk_slots${slots}`;
const releases = (slots: number): string => `uk_free${slots}`;

type Batch = "filled" | "awaited" | "released";

const at = (array: string, batch: Batch, slots: number, context: StatementContext): string =>
  `${context.use("uk_shared")}(&${array}[uk_${batch}${slots} % ${slots}])`;

const barrierAt = (batch: Batch, slots: number, context: StatementContext): string =>
  at(barriers(slots), batch, slots, context);

/** End of a batch of boxes or of its use, or the wait for either. Each warp releases a slot once. */
export function boxSync(what: BoxSync, slots: number, context: StatementContext): Lines {
  const { use, isCopier } = context;
  switch (what) {
    case "fill": {
      const arrive = `${use("uk_arrive")}(${barrierAt("filled", slots, context)});`;
      return [isCopier ? arrive : `if (${isFirstThread}) ${arrive}`, `uk_filled${slots}++;`];
    }
    case "await-fill": {
      const phase = `uk_awaited${slots} / ${slots} & 1`;
      return [`${use("uk_await")}(${barrierAt("awaited", slots, context)}, ${phase});`, `uk_awaited${slots}++;`];
    }
    case "release": {
      const arrive = `${use("uk_arrive")}(${at(releases(slots), "released", slots, context)});`;
      return [`if (threadIdx.x % ${warpLanes} == 0) ${arrive}`, `uk_released${slots}++;`];
    }
    case "await-release": {
      // The phase before the first one is over.
      const phase = `~(uk_filled${slots} / ${slots}) & 1`;
      return [`${use("uk_await")}(${at(releases(slots), "filled", slots, context)}, ${phase});`];
    }
  }
}

const isFirstThread = "threadIdx.x + threadIdx.y + threadIdx.z == 0";

/** Numbers of slots of a launch, whose barriers its groups have. */
export function slotsIn(body: Stmt): readonly number[] {
  const slots = new Set<number>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "sync" && stmt.slots !== undefined) slots.add(stmt.slots);
  });
  return [...slots];
}

/**
 * Barriers behind the first bytes of the memory of a group: the lines that begin them, and where they end.
 *
 * @param warps number of warps that release slots; 0: nobody waits for that
 */
export function barrierLines(
  all: readonly number[],
  start: number,
  warps: number,
  context: StatementContext,
): { readonly lines: Lines; readonly end: number } {
  let end = start;
  const begin = (array: string, slots: number, arrivals: number): Lines => {
    const first = Math.ceil(end / barrierBytes) * barrierBytes;
    end = first + slots * barrierBytes;
    const slot = `${context.use("uk_shared")}(&${array}[at])`;
    return [
      `unsigned long long *const ${array} = (unsigned long long *)(uk_group + ${first});`,
      `if (${isFirstThread}) for (int at = 0; at < ${slots}; at++) ${context.use("uk_begin_slot")}(${slot}, ${arrivals});`,
    ];
  };
  const lines = all.flatMap((slots) => [
    `unsigned uk_filled${slots} = 0, uk_awaited${slots} = 0${warps > 0 ? `, uk_released${slots} = 0` : ""};`,
    ...begin(barriers(slots), slots, 1),
    ...(warps > 0 ? begin(releases(slots), slots, warps) : []),
  ]);
  return { lines: lines.length === 0 ? [] : [...lines, "__syncthreads();"], end };
}

/** Text of the parameter that a map is. */
export const mapParameter = (name: string): string => `const __grid_constant__ uk_map ${name}`;
