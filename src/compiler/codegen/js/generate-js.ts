// LoopFunc without vectors (scheduled, lowered or flat) → JavaScript: plain loops over typed arrays. The `off` mode, the
// baseline of reports, and the oracle for shapes that are too big for the interpreter.

import { arrayTypes } from "../../expr/typed-array.ts";
import { isLargeExpr } from "../../ir/graph.ts";
import { localValues } from "../../ir/local-values.ts";
import type { Block, Buffer, Expr, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { updateBlock, updateStore } from "../../ir/update.ts";
import { varsIn } from "../../ir/visit.ts";
import { freshNames } from "../../lower/pass/leaves.ts";
import { product } from "../../support/integer-math.ts";
import type { JsSource } from "../kernel-source.ts";
import { parametersOf } from "../parameters.ts";
import { type JsContext, jsCondition, jsElement, jsExpr } from "./expression.ts";
import { createNames } from "./names.ts";
import { type HelperName, helperTexts } from "./run-time.ts";

/** JavaScript of a function. Functions such as exp may be there unexpanded: they are computed in f64 by Math and rounded. */
export function generateJs(func: LoopFunc): JsSource {
  const used = new Set<HelperName>();
  const context: JsContext = {
    names: createNames(),
    fresh: freshNames(func),
    buffers: new Map(func.buffers.map((buffer) => [buffer.name, buffer])),
    use: (helper) => {
      used.add(helper);
      return helper;
    },
  };
  const declarations = declareBuffers(func.buffers, context);
  const body = linesOf(func.body, context, new Map());
  const text = [...helperTexts(used), ...declarations, ...body].join("\n");
  return { kind: "js", name: func.name, parameters: parametersOf(func.buffers), text };
}

function declareBuffers(buffers: readonly Buffer[], { names }: JsContext): readonly string[] {
  let argument = 0;
  return buffers.map(({ name, dtype, shape, role }) => {
    const length = product(shape);
    return `const ${names(name)} = ${role !== "local" ? `arg${argument++}` : `new ${arrayTypes[dtype].name}(${length})`};`;
  });
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

/** Extents of the loops around, by name: they tell which bindings cannot overshoot. */
type Extents = ReadonlyMap<string, number>;

function linesOf(stmt: Stmt, context: JsContext, extents: Extents): readonly string[] {
  const { names } = context;
  switch (stmt.kind) {
    case "for":
      return linesOfFor(stmt, context, extents);
    case "seq":
      return ["{", ...indented(stmt.body.flatMap((child) => linesOf(child, context, extents))), "}"];
    case "if": {
      const yes = [`if (${jsCondition(stmt.condition, context)}) {`, ...indented(linesOf(stmt.then, context, extents))];
      return stmt.else ? [...yes, "} else {", ...indented(linesOf(stmt.else, context, extents)), "}"] : [...yes, "}"];
    }
    case "store":
      return withLocals(stmt.value, context, (value) => {
        const line = storeLine(updateStore(stmt, { value }), context);
        return stmt.active ? [`if (${jsExpr(stmt.active, context)} > 0) ${line}`] : [line];
      });
    case "define":
    case "assign":
      return withLocals(stmt.value, context, (value) => [
        `${stmt.kind === "define" ? "let " : ""}${names(stmt.name)} = ${jsExpr(value, context)};`,
      ]);
    case "prefetch":
    case "sync":
      return [];
    case "block":
      return linesOfBlock(stmt, context, extents);
  }
}

/** Puts before the lines of a statement with a large value what the value uses again and again. */
function withLocals(value: Expr, context: JsContext, lines: (value: Expr) => readonly string[]): readonly string[] {
  if (!isLargeExpr(value)) return lines(value);
  const { defines, exprs } = localValues([value], { buffers: context.buffers, boundsOf: () => inside }, () =>
    context.fresh("value"),
  );
  const locals = defines.map((it) => `const ${context.names(it.name)} = ${jsExpr(it.value, context)};`);
  return [...locals, ...lines(exprs[0]!)];
}

/**
 * Bounds that are claimed for every index. A read outside of an array gives undefined in JavaScript, which is harmless
 * where the value is not used.
 */
const inside = { min: 0, max: 0 } as const;

function linesOfFor({ name, extent, body }: For, context: JsContext, extents: Extents): readonly string[] {
  const i = context.names(name);
  const inner = linesOf(body, context, new Map(extents).set(name, extent));
  return [`for (let ${i} = 0; ${i} < ${extent}; ${i}++) {`, ...indented(inner), "}"];
}

function storeLine(
  { buffer, indices, value }: Pick<Block, "buffer" | "indices" | "value">,
  context: JsContext,
): string {
  const text = jsExpr(value, context);
  const { dtype } = value;
  const stored =
    dtype === "f16" || dtype === "bf16" ? `${context.use(dtype === "f16" ? "$toF16" : "$toBf16")}(${text})` : text;
  return `${jsElement(buffer, indices, context)} = ${stored};`;
}

/** Lines of a block: the axes as constants, their range as a condition where it can fail, the first update's initial value. */
function linesOfBlock(block: Block, context: JsContext, extents: Extents): readonly string[] {
  const { names } = context;
  const axes = block.axes.map(({ name }, at) => `const ${names(name)} = ${jsExpr(block.bindings[at]!, context)};`);
  const ranges = block.axes.flatMap(({ name, extent }, at) => {
    const binding = block.bindings[at]!;
    const isSafe = binding.kind === "var" && (extents.get(binding.name) ?? Number.POSITIVE_INFINITY) <= extent;
    return isSafe ? [] : [`${names(name)} >= 0 && ${names(name)} < ${extent}`];
  });
  const store = withLocals(block.value, context, (value) => [storeLine(updateBlock(block, { value }), context)]);
  const update = [...initLines(block, context), ...store];
  const guarded = ranges.length === 0 ? update : [`if (${ranges.join(" && ")}) {`, ...indented(update), "}"];
  return ["{", ...indented([...axes, ...guarded]), "}"];
}

function initLines(block: Block, context: JsContext): readonly string[] {
  if (!block.init) return [];
  const loops = block.axes.flatMap(({ role }, at) => (role === "reduce" ? [...varsIn(block.bindings[at]!)] : []));
  const first = [...new Set(loops)].map((loop) => `${context.names(loop)} === 0`);
  const line = storeLine({ ...block, value: block.init }, context);
  return [first.length === 0 ? line : `if (${first.join(" && ")}) ${line}`];
}
