// Features of one store under its loops, after Ansor's (Zheng et al., OSDI 2020, appendix B): arithmetic by kind, marks of
// the loops, and of each access bytes, lines, stride and reuse. A block and the loops around it → named amounts.

import {
  type Block,
  byteSize,
  type Expr,
  type For,
  functionOps,
  type LoopFunc,
  operandsOf,
  substitute,
  toAffine,
  walkExpr,
  walkGraph,
} from "../../compiler/index.ts";
import { commonCore } from "../prior/machine-model.ts";

const arithmetic = [
  "float adds",
  "float muls",
  "float divs",
  "compares",
  "functions",
  "integer ops",
  "selects",
  "casts",
] as const;
const marks = ["vectorized", "unrolled", "parallel", "tensorized"] as const;
const accessAmounts = [
  "bytes",
  "unique bytes",
  "lines",
  "unique lines",
  "stride",
  "reuse count",
  "reuse distance",
  "reuse bytes",
] as const;

export const storeColumns: readonly string[] = [
  "executions",
  "loops",
  "innermost extent",
  ...arithmetic,
  ...marks.flatMap((mark) => [`${mark} extent`, `${mark} loops`]),
  ...accessAmounts.map((amount) => `read ${amount}`),
  ...accessAmounts.map((amount) => `written ${amount}`),
  "allocated bytes",
];

/** Returns as many numbers as `storeColumns`, all ≥ 0. `loops` are those around the block, the outermost first. */
export function storeFeatures(block: Block, loops: readonly For[], { buffers }: LoopFunc): readonly number[] {
  const executions = product(loops.map(({ extent }) => extent));
  const inLoops = new Map(block.axes.map(({ name }, at) => [name, block.bindings[at]!]));
  const accessOf = (buffer: string, indices: readonly Expr[]): StridedAccess | null => {
    const found = buffers.find(({ name }) => name === buffer);
    if (!found) return null;
    const size = byteSize[found.dtype];
    return accessUnder(
      loops,
      found.shape,
      size,
      indices.map((index) => substitute(index, inLoops)),
    );
  };
  const reads: StridedAccess[] = [];
  walkExpr(block.value, (expr) => {
    const access = expr.kind === "load" ? accessOf(expr.buffer, expr.indices) : null;
    if (access) reads.push(access);
  });
  const written = accessOf(block.buffer, block.indices);
  const own = buffers.find(({ name }) => name === block.buffer);
  const isLocal = own?.role === "local";
  const all = written ? [...reads, written] : reads;
  return [
    executions,
    loops.length,
    loops.at(-1)?.extent ?? 1,
    ...operationsIn(block.value).map((count) => count * executions),
    ...marks.flatMap((mark) => markAmounts(loops, mark)),
    ...totals(reads.map((access) => amountsOf(access, loops, all))),
    ...totals(written ? [amountsOf(written, loops, all)] : []),
    own && isLocal ? product(own.shape) * byteSize[own.dtype] : 0,
  ];
}

const product = (values: readonly number[]): number => values.reduce((total, value) => total * value, 1);

function markAmounts(loops: readonly For[], mark: (typeof marks)[number]): readonly number[] {
  const marked = loops.filter((loop) => loop.mark === mark || loop.mark.startsWith(`${mark} `));
  return [marked.length > 0 ? product(marked.map(({ extent }) => extent)) : 0, marked.length];
}

/** Counts operations by kind, in the order of `arithmetic`. Index arithmetic is not among them. */
function operationsIn(value: Expr): number[] {
  const counts = new Map<string, number>(arithmetic.map((name) => [name, 0]));
  const count = (name: (typeof arithmetic)[number]): void => void counts.set(name, counts.get(name)! + 1);
  walkGraph(value, computedIn, (expr) => {
    const kind = kindOf(expr);
    if (kind) count(kind);
  });
  return [...counts.values()];
}

/** Returns the operands of the computation itself; indices and lanes are what addressing costs. */
const computedIn = (expr: Expr): readonly Expr[] =>
  expr.kind === "load" || expr.kind === "ramp" ? [] : operandsOf(expr);

const comparisons: ReadonlySet<string> = new Set([
  "min",
  "max",
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "and",
  "or",
  "not",
]);

function kindOf(expr: Expr): (typeof arithmetic)[number] | null {
  if (expr.kind === "select") return "selects";
  if (expr.kind === "cast" || expr.kind === "bitcast") return "casts";
  if (expr.kind !== "unary" && expr.kind !== "binary") return null;
  if (functionOps.has(expr.op)) return "functions";
  if (comparisons.has(expr.op)) return "compares";
  if (!expr.dtype.startsWith("f") && expr.dtype !== "bf16") return "integer ops";
  if (expr.op === "mul") return "float muls";
  return expr.op === "div" ? "float divs" : "float adds";
}

/** An access under loops. `moves`: elements by which each loop moves it; 0: not at all. */
interface StridedAccess {
  readonly bytesPerElement: number;
  readonly elements: number;
  readonly moves: readonly number[];
}

function accessUnder(
  loops: readonly For[],
  shape: readonly number[],
  bytesPerElement: number,
  indices: readonly Expr[],
): StridedAccess {
  const moves = new Map(loops.map(({ name }) => [name, 0]));
  indices.forEach((index, dimension) => {
    const row = product(shape.slice(dimension + 1));
    for (const { atom, coefficient } of toAffine(index).terms) {
      walkExpr(atom, (expr) => {
        // Inside of a quotient or a remainder a loop moves the access somehow.
        const move = atom.kind === "var" ? coefficient * row : row;
        if (expr.kind === "var" && moves.has(expr.name)) moves.set(expr.name, moves.get(expr.name)! + move);
      });
    }
  });
  return { bytesPerElement, elements: product(shape), moves: [...moves.values()].map(Math.abs) };
}

/** Returns how many elements the access touches while the loops from `from` on run once. */
const uniqueElements = ({ moves, elements }: StridedAccess, loops: readonly For[], from = 0): number =>
  Math.min(elements, product(loops.map(({ extent }, at) => (at >= from && moves[at]! > 0 ? extent : 1))));

/** Returns the amounts of an access, in the order of `accessAmounts`. */
function amountsOf(access: StridedAccess, loops: readonly For[], all: readonly StridedAccess[]): readonly number[] {
  const { moves, bytesPerElement } = access;
  const executions = product(loops.map(({ extent }) => extent));
  const unique = uniqueElements(access, loops);
  // Elements between neighbouring iterations of the innermost loop that moves the access.
  const stride = moves.findLast((move) => move > 0) ?? 0;
  const perLine = Math.max(1, commonCore.lineBytes / Math.max(bytesPerElement, stride * bytesPerElement));
  const reuse = moves.lastIndexOf(0);
  const repeats = product(loops.map(({ extent }, at) => (moves[at] === 0 ? extent : 1)));
  const between = reuse < 0 ? 0 : product(loops.slice(reuse + 1).map(({ extent }) => extent));
  const touched =
    reuse < 0 ? 0 : all.reduce((sum, it) => sum + uniqueElements(it, loops, reuse + 1) * it.bytesPerElement, 0);
  const bytes = executions * bytesPerElement;
  return [bytes, unique * bytesPerElement, executions / perLine, unique / perLine, stride, repeats, between, touched];
}

function totals(rows: readonly (readonly number[])[]): readonly number[] {
  return accessAmounts.map((_, at) => rows.reduce((sum, row) => sum + row[at]!, 0));
}
