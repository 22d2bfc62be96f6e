// Flat loop IR of threads → CUDA C: one function a launch, and how they are launched.

import { accessedBuffers } from "../../ir/accessed-buffers.ts";
import { seq } from "../../ir/build.ts";
import { copiedAhead, filledByBoxes } from "../../ir/copied-ahead.ts";
import type { Buffer, LoopFunc, Stmt, ThreadAxis } from "../../ir/loop-ir.ts";
import { noRanges } from "../../ir/ranges.ts";
import { withoutThreadLoops } from "../../ir/thread-axes.ts";
import { walkStmt } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import { warpLanes } from "../../target/shuffles.ts";
import type { Target } from "../../target/target.ts";
import { cannotRun } from "../cannot.ts";
import type { GenerateOptions } from "../code-generator.ts";
import { type LaunchBody, launchBodies } from "../launch-bodies.ts";
import { parametersOf } from "../parameters.ts";
import { barrierLines, mapParameter, slotsIn } from "./box-copy.ts";
import type { BoxMap, CudaLaunch, CudaSource } from "./cuda-source.ts";
import { bytesOfElement, cudaType } from "./elements.ts";
import { indexRanges } from "./index-ranges.ts";
import { laneColumn, laneRow } from "./lane.ts";
import { createNames } from "./names.ts";
import { type Roles, rolesIn } from "./roles.ts";
import { type HelperName, helperTexts } from "./run-time.ts";
import { linesOf } from "./statement.ts";
import type { StatementContext } from "./statement-context.ts";
import { lanesOfTiles, operandsIn, panelsIn, tiledIn } from "./warp-statement.ts";

/** Buffers of a group whose pieces of 16 bytes are swapped, with the function that says where an element is. */
function swizzlesOf(func: LoopFunc, panels: ReadonlySet<string>): ReadonlyMap<string, HelperName> {
  const swapped = func.buffers.filter(({ name, memory }) => memory === "group" && panels.has(name));
  return new Map(
    swapped.map(({ name, dtype }) => [name, bytesOfElement(dtype) === 1 ? "uk_swizzle_bytes" : "uk_swizzle"]),
  );
}

export function generateCuda(func: LoopFunc, { target, numerics }: GenerateOptions): CudaSource {
  const used = new Set<HelperName>();
  const names = createNames();
  let next = 0;
  const group = new Set(func.buffers.filter(({ memory }) => memory === "group").map(({ name }) => name));
  const panels = panelsIn(func);
  const swizzled = swizzlesOf(func, panels);
  const use = (helper: HelperName): HelperName => {
    used.add(helper);
    return helper;
  };
  const context: StatementContext = {
    names,
    use,
    place(buffer, index) {
      const swizzle = swizzled.get(buffer);
      return swizzle ? `${use(swizzle)}(${index})` : index;
    },
    wraps: true,
    ranges: noRanges,
    warp: warpOf(warpLanes),
    loaded: new Map(),
    elements: new Map(),
    ahead: copiedAhead(func.body),
    group,
    global: new Set(func.buffers.filter(isGlobal).map(({ name }) => name)),
    read: accessedBuffers(func.body).loaded,
    operands: operandsIn(func),
    panels,
    filled: filledByBoxes(func.body),
    isCopier: false,
    mapOf: (array) => {
      throw new Error(`a map of ${array} outside of launches`);
    },
    fresh: (stem) => `uk_${stem}${next++}`,
  };
  refuseOthers(func.body, target.features);
  const parts = launchBodies(func, { language: "cuda" }).map((body, at) =>
    launchOf(body, `${func.name}_${at}`, func, context),
  );
  for (const { launch } of parts) refuseLarge(launch, target);
  const texts = parts.map(({ text }) => text);
  return {
    kind: "cuda",
    name: func.name,
    parameters: parametersOf(func.buffers),
    text: `${[...helperTexts(used), ...texts].join("\n")}\n`,
    launches: parts.map(({ launch }) => launch),
    scratch: scratchOf(func).map((buffer) => ({ name: buffer.name, bytes: bytesOf(buffer) })),
    architecture: target.features.findLast((feature) => feature.startsWith("sm_")) ?? "sm_70",
    numerics,
  };
}

function refuseLarge({ groupBytes, group }: CudaLaunch, target: Target): void {
  const limits = target.kind === "accelerator" ? target.limits : {};
  const [most, threads] = [limits.groupBytes ?? 0, product(group)];
  if (groupBytes > most) {
    throw cannotRun(
      "cuda",
      `a group wants ${groupBytes} bytes of memory, ${target.name} has ${most}`,
      "smaller blocks, fewer stages",
    );
  }
  if (threads > (limits.threadsPerGroup ?? 0)) {
    throw cannotRun("cuda", `a group has ${threads} threads`, `${target.name} runs ${limits.threadsPerGroup} together`);
  }
}

/** Refuses what only later machines have. */
function refuseOthers(body: Stmt, features: readonly string[]): void {
  if (features.includes("sm_90a")) return;
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "sync") return;
    if (stmt.slots !== undefined) throw cannotRun("cuda", "this machine copies no boxes", "leave out the word warp");
    if (!stmt.what.endsWith("products")) return;
    throw cannotRun("cuda", "this machine has no products that run on their own", "leave out the word products-behind");
  });
}

const isGlobal = ({ memory }: Buffer): boolean => memory !== "group" && memory !== "register";

const scratchOf = ({ buffers }: LoopFunc): readonly Buffer[] => buffers.filter(({ memory }) => memory === "workspace");

const bytesOf = ({ dtype, shape }: Buffer): number => product(shape) * bytesOfElement(dtype);

/** The function of one launch. */
function launchOf(
  { body, before }: LaunchBody,
  entry: string,
  func: LoopFunc,
  common: StatementContext,
): { text: string; launch: CudaLaunch } {
  const extents = new Map<ThreadAxis, number>();
  const inner = withoutThreadLoops(body, extents);
  const size = (prefix: "blockIdx" | "threadIdx"): readonly [number, number, number] => [
    extents.get(`${prefix}.x`) ?? 1,
    extents.get(`${prefix}.y`) ?? 1,
    extents.get(`${prefix}.z`) ?? 1,
  ];
  const roles = rolesIn(inner, common);
  const [grid, computing] = [size("blockIdx"), size("threadIdx")];
  // The last threads along z do not compute: the first of them copies, and the others have nothing to do.
  const [x, y, z] = computing;
  const group = [x, y, roles ? z + 1 : z] as const;
  const maps = newMaps(func, common);
  const ranges = indexRanges(seq(...before, inner), extents);
  const context = { ...common, ranges, warp: warpOf(product(group)), mapOf: maps.nameOf };
  const own = usedIn(seq(...before, body));
  const shared = func.buffers.filter(({ name, memory }) => memory === "group" && own.has(name));
  const places = groupPlaces(shared, panelsIn({ ...func, body }).size > 0);
  const releasing = roles ? product(computing) / warpLanes : 0;
  const slots = barrierLines(slotsIn(body), places.at(-1)?.end ?? 0, releasing, context);
  const groupBytes = slots.end;
  const tiles = lanesOfTiles(body);
  const other = [...tiles].find((lanes) => lanes !== group[0]);
  if (other !== undefined) {
    throw cannotRun(
      "cuda",
      `tiles of ${other} lanes are computed by ${group[0]}`,
      `bind a loop of ${other} to threadIdx.x`,
    );
  }
  const lines = [
    ...[...extents.keys()].map((axis) => `const int ${context.names(axis)} = ${axis};`),
    ...(shared.length > 0 ? ["extern __shared__ __align__(1024) unsigned char uk_group[];"] : []),
    ...places.map(({ buffer, start }) => {
      const type = cudaType[buffer.dtype];
      return `${type} *const ${context.names(buffer.name)} = (${type} *)(uk_group + ${start});`;
    }),
    ...slots.lines,
    ...registerArrays(func, own, tiledIn(body), context),
    ...(tiles.size > 0 ? warpPlace : []),
    ...before.flatMap((definition) => linesOf(definition, context)),
    ...(roles ? copierLines(roles, z, context) : []),
    ...linesOf(roles?.computes ?? inner, context),
  ];
  const parameters = [
    ...arraysOf(func).map((it) => parameter(it, context)),
    ...maps.all.map((_, at) => mapParameter(maps.nameAt(at))),
  ];
  const head = `extern "C" __global__ void __launch_bounds__(${product(group)}) ${entry}(${parameters.join(", ")}) {`;
  return {
    text: [head, ...lines.map((line) => `  ${line}`), "}"].join("\n"),
    launch: { entry, grid, group, groupBytes, ...(maps.all.length > 0 && { maps: maps.all }) },
  };
}

/** Lines of the threads along z that do not compute. */
function copierLines({ copies }: Roles, z: number, context: StatementContext): readonly string[] {
  const lines = linesOf(copies, { ...context, isCopier: true });
  return [
    `if (threadIdx.z == ${z}) {`,
    "  if (threadIdx.x + threadIdx.y == 0) {",
    ...lines.map((line) => `    ${line}`),
    "  }",
    "  return;",
    "}",
  ];
}

/** Buffers whose addresses are arguments, in their order. */
const arraysOf = ({ buffers }: LoopFunc): readonly Buffer[] =>
  buffers.filter(({ memory }) => memory === "caller" || memory === "workspace");

/** Maps of one launch, which statements ask for as they are printed. */
interface Maps {
  readonly all: readonly BoxMap[];
  readonly nameAt: (at: number) => string;
  readonly nameOf: StatementContext["mapOf"];
}

function newMaps(func: LoopFunc, { use }: StatementContext): Maps {
  const all: BoxMap[] = [];
  const nameAt = (at: number): string => `uk_map${at}`;
  return {
    all,
    nameAt,
    nameOf(name, { columns, box }) {
      const array = arraysOf(func).findIndex((buffer) => buffer.name === name);
      const buffer = arraysOf(func)[array]!;
      const elementBytes = bytesOfElement(buffer.dtype) as 1 | 2;
      const rows = product(buffer.shape) / columns;
      if (!Number.isInteger(rows)) {
        throw cannotRun("cuda", `${name} is no whole rows of ${columns} elements`, "copy it by threads");
      }
      const map: BoxMap = { array, elementBytes, columns, rows, box };
      const known = all.findIndex((it) => JSON.stringify(it) === JSON.stringify(map));
      if (known >= 0) return nameAt(known);
      use("uk_map");
      return nameAt(all.push(map) - 1);
    },
  };
}

/** Bits of the threads of a warp in a group of so many: a smaller group has a part of one. */
const warpOf = (threads: number): string => `0x${(2 ** Math.min(threads, warpLanes) - 1).toString(16)}u`;

/** Row and column of the first sum that a lane holds, and the row that it gives for a load of a tile. */
const warpPlace = [
  `const int ${laneRow} = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, ${laneColumn} = threadIdx.x % 4 * 2;`,
  "const int uk_tile_row = threadIdx.x % 16, uk_tile_column = threadIdx.x / 16 * 8;",
];

const parameter = ({ name, dtype, role }: Buffer, { names }: StatementContext): string =>
  `${role === "input" ? "const " : ""}${cudaType[dtype]} *__restrict__ ${names(name)}`;

/** Buffers in registers that are no locals: arrays of each thread. */
function registerArrays(
  { buffers }: LoopFunc,
  used: ReadonlySet<string>,
  tiled: ReadonlySet<string>,
  { names }: StatementContext,
): readonly string[] {
  const own = buffers.filter(({ name, memory }) => memory === "register" && used.has(name));
  const shared = own.find(({ name }) => tiled.has(name));
  if (shared) {
    throw cannotRun("cuda", `${shared.name} is a tile here and single elements there`, "tensorize all loops of a tile");
  }
  return own.map(({ name, dtype, shape }) => `${cudaType[dtype]} ${names(name)}[${product(shape)}];`);
}

function usedIn(body: Stmt): ReadonlySet<string> {
  const { stored, loaded } = accessedBuffers(body);
  return new Set([...stored, ...loaded]);
}

interface GroupPlace {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
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
