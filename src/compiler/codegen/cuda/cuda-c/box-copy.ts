// Copies of boxes, and the barriers at which they arrive → CUDA C.
//
//   uk_filled3, uk_awaited3    batches so far, whose remainder by the 3 slots is the slot, and whose quotient says the phase of its barrier
//   uk_released3               the same for barriers at which warps release slots, where a thread of its own asks for boxes

import type { BoxSync, Store } from "../../../ir/loop-ir.ts";
import { warpLanes } from "../../../target/shuffles.ts";
import { boxCopyOf, type SlotBarriers } from "../plan/boxes.ts";
import { cudaIndex } from "./expression.ts";
import type { StatementContext } from "./statement-context.ts";

type Lines = readonly string[];

/** Lines that ask for a tile, by the first lane of the threads that come here. */
export function boxLines(stmt: Store, context: StatementContext): Lines {
  const copy = boxCopyOf(stmt, context, context.cluster);
  const map = context.mapOf(copy.array, copy.shape);
  const [x, y, start] = [copy.column, copy.row, copy.to].map((index) => cudaIndex(index, null, context));
  const slot = barrierAt("filled", copy.slots, context);
  const copies = Array.from({ length: copy.boxes }, (_, at) => {
    const target = `${context.use("uk_shared")}(&${context.names(stmt.buffer)}[${start} + ${at * copy.elements}])`;
    const given = `${target}, &${map}, ${x}, ${y} + ${at * copy.rows}, ${slot}, ${copy.bytes}`;
    return copy.groups === 1
      ? `${context.use("uk_box")}(${given});`
      : `${context.use("uk_shared_box")}(${given}, ${2 ** copy.groups - 1});`;
  });
  return context.isCopier ? copies : ["if (threadIdx.x == 0) {", ...copies.map((line) => `  ${line}`), "}"];
}

const arrays: Readonly<Record<SlotBarriers["kind"], string>> = { filled: "uk_slots", free: "uk_free" };

type Batch = "filled" | "awaited" | "released";

const at = (kind: SlotBarriers["kind"], batch: Batch, slots: number, context: StatementContext): string =>
  `${context.use("uk_shared")}(&${arrays[kind]}${slots}[uk_${batch}${slots} % ${slots}])`;

const barrierAt = (batch: Batch, slots: number, context: StatementContext): string =>
  at("filled", batch, slots, context);

/** End of a batch of boxes or of its use, or the wait for either. Each warp releases a slot once. */
export function boxSync(what: BoxSync, slots: number, context: StatementContext): Lines {
  const { use, isCopier, cluster } = context;
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
      const slot = at("free", "released", slots, context);
      const lane = `threadIdx.x % ${warpLanes}`;
      // Each group of a cluster fills the slots of all of them.
      const arrive = cluster
        ? `if (${lane} < ${cluster.groups}) ${use("uk_arrive_at")}(${slot}, ${lane});`
        : `if (${lane} == 0) ${use("uk_arrive")}(${slot});`;
      return [arrive, `uk_released${slots}++;`];
    }
    case "await-release": {
      // The phase before the first one is over.
      const phase = `~(uk_filled${slots} / ${slots}) & 1`;
      return [`${use(cluster ? "uk_await_cluster" : "uk_await")}(${at("free", "filled", slots, context)}, ${phase});`];
    }
  }
}

const isFirstThread = "threadIdx.x + threadIdx.y + threadIdx.z == 0";

/** Lines that begin the barriers of a group. */
export function barrierLines(barriers: readonly SlotBarriers[], context: StatementContext): Lines {
  const isReleased = barriers.some(({ kind }) => kind === "free");
  const lines = barriers.flatMap(({ kind, slots, arrivals, start }) => {
    const array = `${arrays[kind]}${slots}`;
    const slot = `${context.use("uk_shared")}(&${array}[at])`;
    const counts = `unsigned uk_filled${slots} = 0, uk_awaited${slots} = 0${isReleased ? `, uk_released${slots} = 0` : ""};`;
    return [
      ...(kind === "filled" ? [counts] : []),
      `unsigned long long *const ${array} = (unsigned long long *)(uk_group + ${start});`,
      `if (${isFirstThread}) for (int at = 0; at < ${slots}; at++) ${context.use("uk_begin_slot")}(${slot}, ${arrivals});`,
    ];
  });
  if (lines.length === 0) return [];
  const met = context.cluster
    ? [`${context.use("uk_publish_slots")}();`, `${context.use("uk_meet_cluster")}();`]
    : ["__syncthreads();"];
  return [...lines, ...met];
}

/** Text of the parameter that a map is. */
export const mapParameter = (name: string): string => `const __grid_constant__ uk_map ${name}`;
