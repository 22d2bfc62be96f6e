// A flat loop function → one C function, `void NAME(void *const *args, void *workspace)`, in C99 with GNU vector
// extensions and no includes; and one for each loop that threads share.

import { placeOf } from "../../ir/buffer.ts";
import type { LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { type Grid, type Launch, type Program, programOf } from "../../launch/program.ts";
import { flatMap } from "../../support/flat-map.ts";
import { invariant } from "../../support/invariant.ts";
import { architectureOf } from "../../target/architecture.ts";
import { cpuTarget, type Numerics, type Target } from "../../target/target.ts";
import type { CSource } from "../kernel-source.ts";
import { parametersOf } from "../parameters.ts";
import type { Context } from "./context.ts";
import { cName, storedElement } from "./element.ts";
import { emitExpression } from "./expression.ts";
import { operandLocals } from "./intrinsic-call.ts";
import { type BufferPlace, layoutOf, lengthOf, type WorkspaceLayout } from "./layout.ts";
import { Names } from "./names.ts";
import { widestOfLocals } from "./piece-lanes.ts";
import { Prelude } from "./prelude.ts";
import { emitStatement } from "./statement.ts";
import { withTiles } from "./tile.ts";
import { assignTileRegisters } from "./tile-registers.ts";

/** The context that all launches of a function have in common. */
type Shared = Omit<Context, "tiles">;

/**
 * The C text of a verified flat function. Vectors of any lane count are cut into pieces no wider than the target's
 * registers. `numerics` decides whether conversions to bf16 may flush denormals; whether products and sums
 * are fused is a flag of the build.
 *
 *     generateC(flat, avx2, { numerics: "fast" }).text
 */
export function generateC(func: LoopFunc, target: Target, options: { readonly numerics: Numerics }): CSource {
  const program = programOf(func, target.threads);
  const layout = layoutOf(func.buffers, program);
  const context = contextOf(func, target, options.numerics, program);
  const functions = program.grids.map((grid) => gridFunction(context, layout, grid)).join("");
  const main = mainFunction(context, layout, func.name, program);
  return {
    kind: "c",
    name: func.name,
    parameters: parametersOf(func.buffers),
    text: `${header(func, target, options.numerics, layout)}${context.prelude.text()}${functions}${main}`,
    workspaceBytes: layout.workspaceBytes,
    threads: program.threads,
    features: target.features,
    numerics: options.numerics,
  };
}

function mainFunction(
  context: Shared,
  layout: WorkspaceLayout,
  name: string,
  { launches, grids, threads }: Program,
): string {
  const isUsed = (buffer: string): boolean => launches.some((it) => it.kind === "serial" && it.buffers.has(buffer));
  const own = layout.placements.filter(({ buffer }) => grids.length === 0 || isUsed(buffer.name));
  const declarations = own.map((placement) => declaration(context, layout, placement, "0"));
  const share = grids.length > 0 ? `, ${shareType(context.prelude)} *share` : "";
  const signature = `void ${name}(void *const *args, void *workspace${share})`;
  const lines = flatMap(launches, (launch) => emitLaunch(context, launch, threads));
  return `${signature};\n${signature} {\n${textOf([...declarations, ...lines])}}\n`;
}

const emitLaunch = (context: Shared, launch: Launch, threads: number): readonly string[] =>
  launch.kind === "serial"
    ? emitBody(context, launch.body)
    : [`share(${launch.name}, (void *[]){(void *)args, workspace}, ${launch.loop.extent}, ${threads});`];

/** Statements that one thread runs. The thread may run iterations of a grid before and after, which have tiles of their own. */
function emitBody(shared: Shared, body: Stmt): readonly string[] {
  const context = { ...shared, tiles: assignTileRegisters(body) };
  return withTiles(context, emitStatement(context, body));
}

/** Declares the types of shared loops, as kernel-table.h has them. */
const shareType = (prelude: Prelude): string =>
  prelude.define("uk_share", () =>
    [
      "typedef void uk_part(void *context, long part, long slot);",
      "typedef void uk_share(uk_part *run, void *context, long parts, long slots);",
    ].join("\n"),
  );

/** `shared` is what the function that shares the loop has: its arguments and its workspace. */
function gridFunction(context: Shared, layout: WorkspaceLayout, { name, loop, buffers }: Grid): string {
  const own = layout.placements.filter(({ buffer }) => buffers.has(buffer.name));
  const body = [
    "void *const *args = ((void **)shared)[0];",
    "char *workspace = ((void **)shared)[1];",
    ...own.map((placement) => declaration(context, layout, placement, "slot")),
    ...emitBody(context, loop.body),
  ];
  const variable = context.names.of("loop", loop.name);
  return `static void ${name}(void *shared, long ${variable}, long slot) {\n${textOf(body)}}\n`;
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `  ${line}\n`).join("");

function contextOf(func: LoopFunc, target: Target, numerics: Numerics, { grids }: Program): Shared {
  invariant(/^[A-Za-z_]\w*$/.test(func.name), `${func.name} is not an identifier`);
  const { vectorBytes } = cpuTarget(target);
  return {
    prelude: new Prelude(architectureOf(target.features)),
    names: new Names([func.name, ...grids.map(({ name }) => name)]),
    buffers: new Map(func.buffers.map((buffer) => [buffer.name, buffer])),
    numerics,
    vectorBytes,
    widestOfLocals: widestOfLocals(func.body),
    operandLocals: operandLocals(func.body),
    emit: emitExpression,
  };
}

function declaration({ names }: Shared, layout: WorkspaceLayout, { buffer, place }: BufferPlace, slot: string): string {
  const name = names.of("buffer", buffer.name);
  const type = cName[storedElement[buffer.dtype]];
  switch (place.kind) {
    case "argument":
      return `${buffer.role === "input" ? "const " : ""}${type} *restrict ${name} = args[${place.index}];`;
    case "workspace":
      return `${type} *restrict ${name} = (void *)((char *)workspace + ${place.offset});`;
    case "slot": {
      const offset = `${layout.sharedBytes + place.offset} + ${slot} * ${layout.slotBytes}`;
      return `${type} *restrict ${name} = (void *)((char *)workspace + ${offset});`;
    }
    case "stack":
      return `${type} ${name}[${lengthOf(buffer)}] __attribute__((aligned(64)));`;
  }
}

/** Opening comment of the C text: the function, its target and its buffers, for readers of a dump, a debugger or a bug report. */
function header(
  func: LoopFunc,
  target: Target,
  numerics: Numerics,
  { placements, workspaceBytes }: WorkspaceLayout,
): string {
  const places = placements.map(({ buffer, place }) => {
    const shape = `${buffer.name} ${buffer.dtype}[${buffer.shape.join(", ")}]`;
    return place.kind === "workspace" ? `${shape} workspace+${place.offset}` : `${shape} ${placeOf(buffer)}`;
  });
  const lines = [
    func.name,
    `target ${target.name} (${target.features.join(" ")}), numerics ${numerics}, workspace ${workspaceBytes} bytes`,
    ...places.map((place) => `  ${place}`),
  ];
  return `/*\n${lines.map((line) => ` * ${line.replaceAll("*/", "* /")}\n`).join("")} */\n`;
}
