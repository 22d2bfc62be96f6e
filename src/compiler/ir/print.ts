// Loop IR → readable text, in every form. Canonical: functions that differ in meaning print differently, so the text serves
// digests and goldens as well as messages and dumps.
//
//   for C.i in 0..61
//     for C.k in 0..97
//       block C (i = C.i in 0..61, reduce k = C.k in 0..97)
//         C[i] = 0.0 first
//         C[i] += A[i, k]

import { placeOf } from "./buffer.ts";
import type { Block, Buffer, For, LoopFunc, Stmt, Sync } from "./loop-ir.ts";
import { printExpr } from "./print-expr.ts";

export { printExpr } from "./print-expr.ts";

export interface PrintOptions {
  /** Loops and blocks to point at with ▶; if given, every line has a gutter of three columns. */
  readonly marked?: readonly string[];
  /** Whether a block shows its update alone: for messages, where the bindings would hide the point. */
  readonly brief?: boolean;
}

/** Text of a function: the name, the buffers with type, shape and scope, an empty line, the body. No newline at the end. */
export function printFunc(func: LoopFunc, options: PrintOptions = {}): string {
  return [func.name, ...func.buffers.map(printBuffer), "", printStmt(func.body, options)].join("\n");
}

const printBuffer = (buffer: Buffer): string =>
  `  ${placeOf(buffer).padEnd(9)} ${buffer.name}: ${buffer.dtype}[${buffer.shape.join(", ")}]`;

/** Text of a statement, two spaces a level; see the options for the gutter. */
export function printStmt(stmt: Stmt, options: PrintOptions = {}): string {
  const { marked } = options;
  const lines = linesOf(stmt, 0, options);
  if (!marked) return lines.map((line) => line.text).join("\n");
  return lines.map(({ text, name }) => `${name !== null && marked.includes(name) ? " ▶ " : "   "}${text}`).join("\n");
}

interface Line {
  readonly text: string;
  /** The loop or block that begins here. */
  readonly name: string | null;
}

function linesOf(stmt: Stmt, depth: number, options: PrintOptions): readonly Line[] {
  const line = (text: string, name: string | null = null, more = 0): Line => ({
    text: "  ".repeat(depth + more) + text,
    name,
  });
  switch (stmt.kind) {
    case "for":
      return [line(printHead(stmt), stmt.name), ...linesOf(stmt.body, depth + 1, options)];
    case "seq":
      return linesOfSeq(stmt.body, depth, options);
    case "if": {
      const yes = [line(`if ${printExpr(stmt.condition)}`), ...linesOf(stmt.then, depth + 1, options)];
      return stmt.else ? [...yes, line("else"), ...linesOf(stmt.else, depth + 1, options)] : yes;
    }
    case "store": {
      const active = stmt.active ? `; ${printExpr(stmt.active)} lanes` : "";
      return [line(`${stmt.buffer}[${stmt.indices.map(printExpr).join(", ")}${active}] = ${printExpr(stmt.value)}`)];
    }
    case "define": {
      const type = stmt.lanes === 1 ? stmt.dtype : `${stmt.dtype}x${stmt.lanes}`;
      return [line(`let ${stmt.name}: ${type} = ${printExpr(stmt.value)}`)];
    }
    case "assign":
      return [line(`${stmt.name} = ${printExpr(stmt.value)}`)];
    case "prefetch":
      return [
        line(`prefetch ${stmt.buffer}[${stmt.indices.map(printExpr).join(", ")}]${stmt.writes ? " to write" : ""}`),
      ];
    case "sync":
      return [line(printSync(stmt))];
    case "block":
      if (options.brief) return [line(printUpdate(stmt), stmt.name)];
      return [
        line(`block ${stmt.name} (${printAxes(stmt)})`, stmt.name),
        ...(stmt.init ? [line(`${printElement(stmt)} = ${printExpr(stmt.init)} first`, null, 1)] : []),
        line(printUpdate(stmt), null, 1),
      ];
  }
}

/** Lines of a sequence. One in a sequence is a scope of its own and gets braces, as does an empty one. */
function linesOfSeq(body: readonly Stmt[], depth: number, options: PrintOptions): readonly Line[] {
  const brace = (text: string): Line => ({ text: "  ".repeat(depth) + text, name: null });
  if (body.length === 0) return [brace("{ }")];
  return body.flatMap((child) =>
    child.kind === "seq" && child.body.length > 0
      ? [brace("{"), ...linesOf(child, depth + 1, options), brace("}")]
      : linesOf(child, depth, options),
  );
}

function printSync({ what, pending, slots }: Sync): string {
  if (slots !== undefined) return `${what} of ${slots} slots`;
  return what.startsWith("wait") ? `${what} for all but ${pending}` : what;
}

function printHead({ name, extent, mark, tail, annotations }: For): string {
  const words = Object.entries(annotations).map(([key, value]) => `${key}: ${value}`);
  const notes = [
    mark === "serial" ? "" : ` ${mark}`,
    tail === "guard" ? "" : ` ${tail}`,
    words.length === 0 ? "" : ` (${words.sort().join(", ")})`,
  ];
  return `for ${name} in 0..${extent}${notes.join("")}`;
}

const printAxes = ({ axes, bindings }: Block): string =>
  axes
    .map(({ name, extent, role }, index) => {
      const binding = bindings[index];
      return `${role === "reduce" ? "reduce " : ""}${name} = ${binding ? printExpr(binding) : "?"} in 0..${extent}`;
    })
    .join(", ");

const printElement = ({ buffer, indices }: Block): string => `${buffer}[${indices.map(printExpr).join(", ")}]`;

const updates = { add: "+=", mul: "*=", min: "min=", max: "max=" } as const;
const isUpdate = (op: string): op is keyof typeof updates => Object.hasOwn(updates, op);

function printUpdate(block: Block): string {
  const { value } = block;
  const element = printElement(block);
  if (value.kind === "binary" && isUpdate(value.op) && printExpr(value.left) === element) {
    return `${element} ${updates[value.op]} ${printExpr(value.right)}`;
  }
  return `${element} = ${printExpr(value)}`;
}
