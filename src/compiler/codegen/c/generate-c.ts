// A flat loop function → one C function, `void NAME(void *const *args, void *workspace)`, in C99 with GNU vector
// extensions and no includes.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Numerics, Target } from "../../target/target.ts";
import type { CSource } from "../kernel-source.ts";
import { parametersOf } from "../parameters.ts";
import type { Context } from "./context.ts";
import { cName, storedElement } from "./element.ts";
import { operandLocals } from "./intrinsic-call.ts";
import { type Layout, layoutOf, lengthOf, type Placement } from "./layout.ts";
import { Names } from "./names.ts";
import { Prelude } from "./prelude.ts";
import { emitStatement } from "./statement.ts";
import { withTiles } from "./tile.ts";
import { tileRegisters } from "./tile-registers.ts";
import { widestElement } from "./widest-element.ts";

/**
 * The C text of a verified flat function. Vectors of any lane count are cut into pieces no wider than the target's
 * registers. `numerics` decides whether the compiler may fuse products and sums (a flag of the build, not of the text).
 *
 *     generateC(flat, avx2, { numerics: "fast" }).text
 */
export function generateC(func: LoopFunc, target: Target, options: { readonly numerics: Numerics }): CSource {
  const layout = layoutOf(func);
  const context = contextOf(func, target);
  const { prelude } = context;
  const declarations = layout.placements.map((placement) => declaration(context, placement));
  const statements = withTiles(context, emitStatement(context, func.body));
  const body = [...declarations, ...statements].map((line) => `  ${line}\n`).join("");
  const signature = `void ${func.name}(void *const *args, void *workspace)`;
  return {
    kind: "c",
    name: func.name,
    parameters: parametersOf(func.buffers),
    text: `${header(func, target, options.numerics, layout)}${prelude.text()}${signature};\n${signature} {\n${body}}\n`,
    workspaceBytes: layout.workspaceBytes,
    features: target.features,
    numerics: options.numerics,
  };
}

function contextOf(func: LoopFunc, target: Target): Context {
  invariant(/^[A-Za-z_]\w*$/.test(func.name), `${func.name} is not an identifier`);
  return {
    prelude: new Prelude(),
    names: new Names([func.name]),
    buffers: new Map(func.buffers.map((buffer) => [buffer.name, buffer])),
    pieceLanes: target.vectorBytes / widestElement(func.body),
    operandLocals: operandLocals(func.body),
    tiles: tileRegisters(func.body),
  };
}

function declaration({ names }: Context, { buffer, place }: Placement): string {
  const name = names.of("buffer", buffer.name);
  const type = cName[storedElement[buffer.dtype]];
  switch (place.kind) {
    case "argument":
      return `${buffer.scope === "input" ? "const " : ""}${type} *restrict ${name} = args[${place.index}];`;
    case "workspace":
      return `${type} *restrict ${name} = (void *)((char *)workspace + ${place.offset});`;
    case "stack":
      return `${type} ${name}[${lengthOf(buffer)}] __attribute__((aligned(64)));`;
  }
}

/** What the text is, for whoever reads it in a dump, a debugger or a bug report. */
function header(func: LoopFunc, target: Target, numerics: Numerics, { placements, workspaceBytes }: Layout): string {
  const places = placements.map(({ buffer, place }) => {
    const shape = `${buffer.name} ${buffer.dtype}[${buffer.shape.join(", ")}]`;
    return place.kind === "workspace" ? `${shape} workspace+${place.offset}` : `${shape} ${buffer.scope}`;
  });
  const lines = [
    func.name,
    `target ${target.name} (${target.features.join(" ")}), numerics ${numerics}, workspace ${workspaceBytes} bytes`,
    ...places.map((place) => `  ${place}`),
  ];
  return `/*\n${lines.map((line) => ` * ${line.replaceAll("*/", "* /")}\n`).join("")} */\n`;
}
