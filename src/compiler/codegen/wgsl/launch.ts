// One launch of a function → its entry point, and how it is dispatched.

import { seq } from "../../ir/build.ts";
import type { LoopFunc, Stmt, ThreadAxis } from "../../ir/loop-ir.ts";
import { noRanges, withRange } from "../../ir/ranges.ts";
import { withoutThreadLoops } from "../../ir/thread-axes.ts";
import { walkStmt } from "../../ir/visit.ts";
import { product } from "../../support/integer-math.ts";
import type { Target } from "../../target/target.ts";
import { isBound } from "../launch-arrays.ts";
import type { LaunchBody } from "../launch-bodies.ts";
import { type BufferForm, formsIn } from "./buffer-form.ts";
import type { WgslContext } from "./context.ts";
import type { Declarations } from "./declarations.ts";
import { foldedGrid, gridLines, type Size3 } from "./grid.ts";
import { refuseLarge } from "./limits.ts";
import type { HelperName } from "./run-time.ts";
import { noVectors } from "./shared-vectors.ts";
import { linesOf } from "./statement.ts";
import { tilesIn, type WgslFeature } from "./tile-statement.ts";
import { warpLines } from "./warp-lines.ts";
import type { WgslLaunch } from "./wgsl-source.ts";
import { takenAsWords } from "./words.ts";

/** Parts that the launches of one text share. */
export interface TextParts {
  readonly names: (irName: string) => string;
  readonly use: (helper: HelperName) => string;
  readonly fresh: (stem: string) => string;
  readonly declarations: Declarations;
}

export interface LaunchText {
  readonly text: string;
  /** Features of the device that it needs. */
  readonly features: readonly WgslFeature[];
  readonly shuffleLanes: number;
  readonly launch: WgslLaunch;
}

export function launchOf(
  { body, before }: LaunchBody,
  entry: string,
  func: LoopFunc,
  target: Target,
  parts: TextParts,
): LaunchText {
  const extents = new Map<ThreadAxis, number>();
  const inner = seq(...before, withoutThreadLoops(body, extents));
  const size = (prefix: "blockIdx" | "threadIdx"): Size3 => [
    extents.get(`${prefix}.x`) ?? 1,
    extents.get(`${prefix}.y`) ?? 1,
    extents.get(`${prefix}.z`) ?? 1,
  ];
  const [groups, group] = [size("blockIdx"), size("threadIdx")];
  const words = takenAsWords(inner);
  const tiles = tilesIn(inner, target);
  const shuffleLanes = lanesOfShuffles(inner);
  const forms = formsIn(inner, func.buffers, words.buffers, tiles);
  refuseLarge([...forms.values()], group, target);
  const folded = foldedGrid(groups, target);
  const context: WgslContext = {
    ...parts,
    forms,
    bufferName: (buffer) => parts.declarations.nameOf(forms.get(buffer)!, entry),
    assigned: assignedIn(inner),
    words: words.locals,
    ranges: [...extents].reduce((ranges, [axis, extent]) => withRange(ranges, axis, 0, extent - 1), noRanges),
    before: [],
    depths: new Map(),
    shared: noVectors,
    tiles,
    isAlone: product(group) === 1,
    meetsOutside: [...forms.values()].some(meetsOutside),
  };
  const coordinates = [
    ...gridLines(groups, folded, [...extents.keys()], parts.names),
    ...(tiles.share ? warpLines(tiles.share, extents, parts.names) : threadLines([...extents.keys()], parts.names)),
  ];
  const lines = [
    ...coordinates,
    ...[...forms.values()].flatMap((form) => registerArray(form, context)),
    ...linesOf(inner, context),
  ];
  const head = `@compute @workgroup_size(${group.join(", ")}) fn ${entry}(${builtinsOf(coordinates).join(", ")}) {`;
  return {
    text: [head, ...lines.map((line) => `  ${line}`), "}"].join("\n"),
    features: [...new Set([...tiles.features, ...(shuffleLanes > 0 ? (["subgroups"] as const) : [])])],
    shuffleLanes,
    launch: { entry, grid: folded, arrays: parts.declarations.arraysOf([...forms.keys()]) },
  };
}

/** Threads that hand each other values: those whose coordinates differ by a mask, and by all smaller ones. */
function lanesOfShuffles(body: Stmt): number {
  let most = 0;
  walkStmt(body, (stmt) => {
    if (stmt.kind === "define" && stmt.value.kind === "shuffle") most = Math.max(most, 2 * stmt.value.mask);
  });
  return most;
}

const builtins = [
  ["workgroup_id", "vec3<u32>"],
  ["local_invocation_id", "vec3<u32>"],
  ["subgroup_id", "u32"],
  ["subgroup_invocation_id", "u32"],
] as const;

const builtinsOf = (lines: readonly string[]): readonly string[] =>
  builtins
    .filter(([name]) => lines.some((line) => line.includes(`uk_${name}`)))
    .map(([name, type]) => `@builtin(${name}) uk_${name}: ${type}`);

const threadLines = (axes: readonly ThreadAxis[], names: (name: string) => string): readonly string[] =>
  axes
    .filter((axis) => axis.startsWith("threadIdx"))
    .map((axis) => `let ${names(axis)} = i32(uk_local_invocation_id.${axis.at(-1)});`);

/** A buffer in registers that is no local: an array of each thread. */
function registerArray({ buffer, type }: BufferForm, { bufferName }: WgslContext): readonly string[] {
  if (buffer.memory !== "register") return [];
  return [`var ${bufferName(buffer.name)}: array<${type}, ${product(buffer.shape)}>;`];
}

const meetsOutside = ({ buffer, isStored, isLoaded }: BufferForm): boolean => isStored && isLoaded && isBound(buffer);

function assignedIn(body: Stmt): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "assign") names.add(stmt.name);
  });
  return names;
}
