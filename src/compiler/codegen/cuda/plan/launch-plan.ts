// Body of a launch → all that is decided about its function before it is printed: extents, roles of threads, places in the memory of the group.

import { accessedBuffers } from "../../../ir/accessed-buffers.ts";
import { seq } from "../../../ir/build.ts";
import type { Buffer, Define, LoopFunc, Stmt, ThreadAxis } from "../../../ir/loop-ir.ts";
import type { Ranges } from "../../../ir/ranges.ts";
import { withoutThreadLoops } from "../../../ir/thread-axes.ts";
import { product } from "../../../support/integer-math.ts";
import { warpLanes } from "../../../target/shuffles.ts";
import { cannotRun } from "../../cannot.ts";
import type { LaunchBody } from "../../launch-bodies.ts";
import { type SlotBarriers, slotBarriers, slotsIn } from "./boxes.ts";
import { type Cluster, clusterIn } from "./cluster.ts";
import type { CudaLaunch } from "./cuda-source.ts";
import { indexRanges } from "./index-ranges.ts";
import { bytesOf, type KernelFacts } from "./kernel-facts.ts";
import { type Roles, rolesIn } from "./roles.ts";
import { lanesOfTiles, panelsIn, tiledIn } from "./tiles.ts";

export interface LaunchPlan {
  /** Statements of a thread, and the definitions before them. */
  readonly body: Stmt;
  readonly before: readonly Define[];
  /** Extents of the coordinates that the launch has. */
  readonly extents: ReadonlyMap<ThreadAxis, number>;
  readonly launch: CudaLaunch;
  /** Roles of its threads, of which those behind the first `computing` along z copy; null: all have one. */
  readonly roles: Roles | null;
  readonly computing: number;
  /** Groups that copy together; null: each copies for itself. */
  readonly cluster: Cluster | null;
  readonly ranges: Ranges;
  /** Buffers in the memory of the group, and the barriers behind them. */
  readonly places: readonly GroupPlace[];
  readonly barriers: readonly SlotBarriers[];
  /** Buffers in registers that are no locals: arrays of each thread. */
  readonly arrays: readonly Buffer[];
  readonly hasTiles: boolean;
}

export interface GroupPlace {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
}

export function planLaunch(
  { body, before }: LaunchBody,
  entry: string,
  func: LoopFunc,
  facts: Pick<KernelFacts, "group" | "global">,
): LaunchPlan {
  const extents = new Map<ThreadAxis, number>();
  const inner = withoutThreadLoops(body, extents);
  const size = (prefix: "blockIdx" | "threadIdx"): readonly [number, number, number] => [
    extents.get(`${prefix}.x`) ?? 1,
    extents.get(`${prefix}.y`) ?? 1,
    extents.get(`${prefix}.z`) ?? 1,
  ];
  const roles = rolesIn(inner, facts);
  const [grid, computing] = [size("blockIdx"), size("threadIdx")];
  // The last threads along z do not compute: the first of them copies, and the others have nothing to do.
  const [x, y, z] = computing;
  const group = [x, y, roles ? z + 1 : z] as const;
  const own = usedIn(seq(...before, body));
  const shared = func.buffers.filter(({ name, memory }) => memory === "group" && own.has(name));
  const places = groupPlaces(shared, panelsIn({ ...func, body }).size > 0);
  const ranges = indexRanges(seq(...before, inner), extents);
  const cluster = clusterIn(inner, before, extents, ranges, roles?.copies ?? null);
  const releasing = roles ? ((cluster?.groups ?? 1) * product(computing)) / warpLanes : 0;
  const { barriers, end } = slotBarriers(slotsIn(body), places.at(-1)?.end ?? 0, releasing);
  const tiles = lanesOfTiles(body);
  const other = [...tiles].find((lanes) => lanes !== x);
  if (other !== undefined) {
    throw cannotRun("cuda", `tiles of ${other} lanes are computed by ${x}`, `bind a loop of ${other} to threadIdx.x`);
  }
  return {
    body: inner,
    before,
    extents,
    launch: { entry, grid, group, groupBytes: end, ...(cluster && { cluster: cluster.groups }) },
    roles,
    computing: z,
    cluster,
    ranges,
    places,
    barriers,
    arrays: registerArrays(func, own, tiledIn(body)),
    hasTiles: tiles.size > 0,
  };
}

function usedIn(body: Stmt): ReadonlySet<string> {
  const { stored, loaded } = accessedBuffers(body);
  return new Set([...stored, ...loaded]);
}

/** Buffers of a group, one after another: vectors of 16 bytes are whole, and the pattern of panels begins anew every 1024 bytes. */
function groupPlaces(buffers: readonly Buffer[], inPanels: boolean): readonly GroupPlace[] {
  const alignment = inPanels ? 1024 : 16;
  let end = 0;
  return buffers.map((buffer) => {
    const start = Math.ceil(end / alignment) * alignment;
    end = start + bytesOf(buffer);
    return { buffer, start, end };
  });
}

function registerArrays(
  { buffers }: LoopFunc,
  used: ReadonlySet<string>,
  tiled: ReadonlySet<string>,
): readonly Buffer[] {
  const own = buffers.filter(({ name, memory }) => memory === "register" && used.has(name));
  const shared = own.find(({ name }) => tiled.has(name));
  if (shared) {
    throw cannotRun("cuda", `${shared.name} is a tile here and single elements there`, "tensorize all loops of a tile");
  }
  return own;
}
