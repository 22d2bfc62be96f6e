// Flat loop IR of threads → CUDA C: one function a launch, and how they are launched.

import type { Buffer, LoopFunc, Stmt } from "../../../ir/loop-ir.ts";
import { noRanges } from "../../../ir/ranges.ts";
import { walkStmt } from "../../../ir/visit.ts";
import { product } from "../../../support/integer-math.ts";
import { warpLanes } from "../../../target/shuffles.ts";
import type { Target } from "../../../target/target.ts";
import { cannotRun } from "../../cannot.ts";
import type { GenerateOptions } from "../../code-generator.ts";
import { launchBodies } from "../../launch-bodies.ts";
import { parametersOf } from "../../parameters.ts";
import { createBoxMaps } from "../plan/boxes.ts";
import type { CudaLaunch, CudaSource } from "../plan/cuda-source.ts";
import { arraysOf, bytesOf, factsOf } from "../plan/kernel-facts.ts";
import { type LaunchPlan, planLaunch } from "../plan/launch-plan.ts";
import type { Roles } from "../plan/roles.ts";
import { barrierLines, mapParameter } from "./box-copy.ts";
import { laneColumn, laneRow } from "./expression.ts";
import { createNames } from "./names.ts";
import { type HelperName, helperTexts } from "./run-time.ts";
import { linesOf } from "./statement.ts";
import type { StatementContext } from "./statement-context.ts";
import { cudaType } from "./types.ts";

/** Prints the functions, and says how they are launched. The caller adds their PTX, which is printed on demand. */
export function generateCuda(func: LoopFunc, { target, numerics }: GenerateOptions): Omit<CudaSource, "ptx"> {
  const used = new Set<HelperName>();
  let next = 0;
  const facts = factsOf(func);
  const use = (helper: HelperName): HelperName => {
    used.add(helper);
    return helper;
  };
  const context: StatementContext = {
    ...facts,
    names: createNames(),
    use,
    place(buffer, index) {
      const bytes = facts.swizzled.get(buffer);
      if (bytes === undefined) return index;
      return `${use(bytes === 1 ? "uk_swizzle_bytes" : "uk_swizzle")}(${index})`;
    },
    wraps: true,
    ranges: noRanges,
    warp: warpOf(warpLanes),
    loaded: new Map(),
    elements: new Map(),
    isCopier: false,
    cluster: null,
    mapOf: (array) => {
      throw new Error(`a map of ${array} outside of launches`);
    },
    fresh: (stem) => `uk_${stem}${next++}`,
  };
  refuseOthers(func.body, target.features);
  const parts = launchBodies(func, { language: "cuda" }).map((body, at) =>
    launchOf(planLaunch(body, `${func.name}_${at}`, func, facts), func, context),
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

const scratchOf = ({ buffers }: LoopFunc): readonly Buffer[] => buffers.filter(({ memory }) => memory === "workspace");

/** The function of one launch. */
function launchOf(plan: LaunchPlan, func: LoopFunc, common: StatementContext): { text: string; launch: CudaLaunch } {
  const { launch, extents, roles, cluster } = plan;
  const maps = createBoxMaps(func);
  const context: StatementContext = {
    ...common,
    ranges: plan.ranges,
    cluster,
    warp: warpOf(product(launch.group)),
    mapOf(array, shape) {
      common.use("uk_map");
      return mapName(maps.numberOf(array, shape));
    },
  };
  const lines = [
    ...[...extents.keys()].map((axis) => `const int ${context.names(axis)} = ${axis};`),
    ...(plan.places.length > 0 ? ["extern __shared__ __align__(1024) unsigned char uk_group[];"] : []),
    ...plan.places.map(({ buffer, start }) => {
      const type = cudaType[buffer.dtype];
      return `${type} *const ${context.names(buffer.name)} = (${type} *)(uk_group + ${start});`;
    }),
    ...barrierLines(plan.barriers, context),
    ...plan.arrays.map(({ name, dtype, shape }) => `${cudaType[dtype]} ${context.names(name)}[${product(shape)}];`),
    ...(plan.hasTiles ? warpPlace : []),
    ...plan.before.flatMap((definition) => linesOf(definition, context)),
    ...(roles ? copierLines(roles, plan.computing, context) : []),
    ...linesOf(roles?.computes ?? plan.body, context),
    // Until then others may release slots of this group.
    ...(cluster ? [`${context.use("uk_meet_cluster")}();`] : []),
  ];
  const parameters = [
    ...arraysOf(func).map((it) => parameter(it, context)),
    ...maps.all.map((_, at) => mapParameter(mapName(at))),
  ];
  const bounds = `__launch_bounds__(${product(launch.group)})`;
  const dims = cluster ? `__cluster_dims__(${cluster.groups}, 1, 1) ` : "";
  const head = `extern "C" __global__ void ${dims}${bounds} ${launch.entry}(${parameters.join(", ")}) {`;
  return {
    text: [head, ...lines.map((line) => `  ${line}`), "}"].join("\n"),
    launch: { ...launch, ...(maps.all.length > 0 && { maps: maps.all }) },
  };
}

const mapName = (number: number): string => `uk_map${number}`;

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

/** Bits of the threads of a warp in a group of so many: a smaller group has a part of one. */
const warpOf = (threads: number): string => `0x${(2 ** Math.min(threads, warpLanes) - 1).toString(16)}u`;

/** Row and column of the first sum that a lane holds, and the row that it gives for a load of a tile. */
const warpPlace = [
  `const int ${laneRow} = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, ${laneColumn} = threadIdx.x % 4 * 2;`,
  "const int uk_tile_row = threadIdx.x % 16, uk_tile_column = threadIdx.x / 16 * 8;",
];

const parameter = ({ name, dtype, role }: Buffer, { names }: StatementContext): string =>
  `${role === "input" ? "const " : ""}${cudaType[dtype]} *__restrict__ ${names(name)}`;
