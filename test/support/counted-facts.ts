// Counts on a scheduled nest what estimates claim of it. An oracle for ranking facts: it reads loops, bindings and buffers, and
// knows no rule, tunable or axis of a template. Scheduled nest → amounts.
//
// Blocks are told apart by what a schedule calls them: `C.init` and `C.store` begin and end the sums of a tile, `A.pack` copies an
// operand, `y.rf` adds up the vectors of `y.rf.rf`. What is left is the work that a stage is there for.

import {
  type Block,
  byteSize,
  type Expr,
  exprKey,
  type For,
  type Load,
  type LoopFunc,
  runsOf,
  type Stmt,
  substitute,
  toAffine,
  walkExpr,
} from "../../src/compiler/index.ts";

/** Amounts of one block's work. A body is what the innermost loop that is not unrolled runs each time. */
export interface CountedWork {
  readonly name: string;
  /** Iterations of the innermost loop that is not unrolled, ends of axes that are cut off not counted. */
  readonly iterations: number;
  /** Vector instances: executions of the block, all lanes at once, and one element at once where an intrinsic cannot compute a part of a vector. */
  readonly vectors: number;
  /** Elements that a vector instance works on: those of the vectorised loop, or all that an intrinsic computes at once. */
  readonly lanes: number;
  /** Vector instances of a body. */
  readonly copies: number;
  /** Different vectors that a body writes: its accumulators, in a reduction. */
  readonly written: number;
  /** Different vectors, or elements for all lanes, that a body loads. */
  readonly loads: number;
  /** Operations of an instance in one lane. */
  readonly operations: number;
  /** Instances that are asked for: those of the block as the operator was written, before it was padded or split. */
  readonly asked: number;
  /** Iterations of the loops around the block that begins the sums of a body; null: there is none. */
  readonly begun: number | null;
  /** Iterations of the loops around the innermost one that is not unrolled: how often that one is begun. */
  readonly walks: number;
}

export interface CountedFacts {
  readonly work: readonly CountedWork[];
  /** Operations that add up the vectors of sums, and then their lanes: to move lanes is one, to add them another. */
  readonly addingUp: number;
  /** Bytes read and written by blocks that copy operands. */
  readonly packedBytes: number;
  /** Iterations of the parallel loop; 1: there is none. */
  readonly parallelTasks: number;
}

interface Placed {
  readonly block: Block;
  /** From the outside in. */
  readonly loops: readonly For[];
}

/** Counts a nest. `written`: the nest of the same operator that nothing is scheduled in. */
export function countFacts(nest: LoopFunc, written: LoopFunc): CountedFacts {
  const placed = blocksUnder(nest.body, []);
  const asked = new Map(blocksUnder(written.body, []).map(({ block }) => [block.name, instancesOf(block)]));
  const names = new Set(placed.map(({ block }) => block.name));
  const isCopy = ({ block }: Placed): boolean => /\.(pack|layout|pad)\b/.test(block.buffer);
  const isAddingUp = ({ block }: Placed): boolean => names.has(`${block.name}.rf`);
  const isWork = (it: Placed): boolean => !isCopy(it) && !/\.(init|store)$/.test(it.block.name) && !isAddingUp(it);
  const copied = placed
    .filter(isCopy)
    .reduce((sum, it) => sum + 2 * executions(it) * bytesOf(nest, it.block.buffer), 0);
  const parallel = placed.flatMap(({ loops }) => loops.filter(({ mark }) => mark === "parallel"));
  return {
    work: placed.filter(isWork).map((it) => workOf(it, placed, asked, nest)),
    addingUp: placed.filter(isAddingUp).reduce((sum, it) => sum + addingUpOf(it, placed), 0),
    packedBytes: copied,
    parallelTasks: Math.max(1, ...parallel.map(({ extent }) => extent)),
  };
}

function blocksUnder(stmt: Stmt, loops: readonly For[]): readonly Placed[] {
  switch (stmt.kind) {
    case "block":
      return [{ block: stmt, loops }];
    case "for":
      return blocksUnder(stmt.body, [...loops, stmt]);
    case "seq":
      return stmt.body.flatMap((it) => blocksUnder(it, loops));
    case "if":
      return [stmt.then, ...(stmt.else ? [stmt.else] : [])].flatMap((it) => blocksUnder(it, loops));
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
      return [];
  }
}

const bytesOf = ({ buffers }: LoopFunc, name: string): number =>
  byteSize[buffers.find((it) => it.name === name)!.dtype];

const product = (values: readonly number[]): number => values.reduce((total, value) => total * value, 1);
const isSerial = ({ mark }: For): boolean => mark === "serial" || mark === "parallel";

function workOf(
  { block, loops }: Placed,
  all: readonly Placed[],
  asked: ReadonlyMap<string, number>,
  nest: LoopFunc,
): CountedWork {
  const { scalar, inLanes } = splitAtLanes(loops);
  const lastSerial = scalar.findLastIndex(isSerial);
  const body = scalar.slice(lastSerial + 1);
  const inLoops = new Map(block.axes.map(({ name }, axis) => [name, block.bindings[axis]!]));
  const moving = (indices: readonly Expr[]): number => {
    const names = namesIn(indices.map((index) => substitute(index, inLoops)));
    return product(body.filter(({ name }) => names.has(name)).map(({ extent }) => extent));
  };
  /** Loads and shuffles for the lanes of a load. */
  const forLanes = ({ buffer, indices }: Load): number =>
    stepsOfLanes(
      indices.map((index) => substitute(index, inLoops)),
      nest.buffers.find(({ name }) => name === buffer)!.shape,
      inLanes,
    );
  const init = all.find((it) => it.block.name === `${block.name}.init`);
  const outer = init ? splitAtLanes(init.loops).scalar : [];
  const begun = outer.slice(0, outer.findLastIndex(isSerial) + 1);
  return {
    name: block.name,
    iterations: executions({ block, loops: scalar.slice(0, lastSerial + 1) }),
    vectors: executions({ block, loops: scalar }) * stepsOfVector({ block, loops }, inLanes),
    lanes: product(inLanes.map(({ extent }) => extent)),
    copies: product(body.map(({ extent }) => extent)),
    written: moving(block.indices),
    loads: loadsOf(block).reduce((sum, load) => sum + moving(load.indices) * forLanes(load), 0),
    operations: operationsOf(block),
    asked: asked.get(block.name.replace(/(\.rf)+$/, "")) ?? 0,
    begun: init ? executions({ block: init.block, loops: begun }) : null,
    walks: executions({ block, loops: scalar.slice(0, Math.max(0, lastSerial)) }),
  };
}

const instancesOf = ({ axes }: Block): number => product(axes.map(({ extent }) => extent));

/**
 * Counts what a block does that adds up parts of sums. Where it is a vector whose lanes are added up, each halving is a shuffle and an operation;
 * where it is no vector and its operand is one, it takes each lane out of it.
 */
function addingUpOf({ block, loops }: Placed, all: readonly Placed[]): number {
  const lanesOf = (it: readonly For[]): number => product(splitAtLanes(it).inLanes.map(({ extent }) => extent));
  const { scalar, inLanes } = splitAtLanes(loops);
  const folded = new Set(
    block.axes.flatMap(({ role }, at) => (role === "reduce" ? [...namesIn([block.bindings[at]!])] : [])),
  );
  if (inLanes.some(({ name }) => folded.has(name))) {
    return executions({ block, loops: scalar }) * (operationsOf(block) + 2 * Math.log2(lanesOf(loops)));
  }
  const parts = all.find((it) => it.block.name === `${block.name}.rf`)!;
  const taken = lanesOf(loops) === 1 && lanesOf(parts.loops) > 1 ? 1 : 0;
  return executions({ block, loops: scalar }) * (operationsOf(block) + taken);
}

/**
 * Loops around vector instances, and those inside: the vectorised one, or those that an intrinsic computes. Of a tile of rows
 * and columns an instance is a row, so the loop over its rows is around it, as though it were unrolled.
 */
function splitAtLanes(loops: readonly For[]): { readonly scalar: readonly For[]; readonly inLanes: readonly For[] } {
  const at = loops.findIndex(({ mark }) => mark === "vectorized" || mark.startsWith("tensorized"));
  if (at < 0) return { scalar: loops, inLanes: [] };
  const rows = loops[at]!;
  if (rows.mark === "vectorized") return { scalar: loops.toSpliced(at, 1), inLanes: [rows] };
  const isTile = /^tensorized (tile|td)/.test(rows.mark);
  const split = isTile ? at + 1 : at;
  const scalar = loops.slice(0, split).map((loop) => (loop === rows ? { ...loop, mark: "unrolled" as const } : loop));
  return { scalar, inLanes: loops.slice(split) };
}

/** Executions for a vector instance, on average: what an intrinsic computes is one, but its last vector, cut off, runs element by element. */
function stepsOfVector({ block, loops }: Placed, inLanes: readonly For[]): number {
  const lane = inLanes.find(({ mark }) => /^tensorized (?!tile|td)/.test(mark));
  const at = lane ? block.bindings.findIndex((binding) => namesIn([binding]).has(lane.name)) : -1;
  if (!lane || at < 0) return 1;
  const binds = namesIn([block.bindings[at]!]);
  const part = block.axes[at]!.extent % lane.extent;
  if (part === 0 || loops.some(({ name, tail }) => binds.has(name) && tail === "mask")) return 1;
  const whole = Math.floor(block.axes[at]!.extent / lane.extent);
  return (whole + (part * product(inLanes.map(({ extent }) => extent))) / lane.extent) / (whole + 1);
}

/** One where lanes lie side by side, or are one element; those in strides are picked from runs, or loaded each. */
function stepsOfLanes(indices: readonly Expr[], shape: readonly number[], inLanes: readonly For[]): number {
  const [lane] = inLanes;
  if (lane?.mark !== "vectorized") return 1;
  const stride = indices.reduce((sum, index, dim) => {
    const term = toAffine(index).terms.find(({ atom }) => atom.kind === "var" && atom.name === lane.name);
    return sum + (term?.coefficient ?? 0) * product(shape.slice(dim + 1));
  }, 0);
  if (stride <= 1) return 1;
  const runs = runsOf(Array.from({ length: lane.extent }, (_, at) => at * stride));
  return runs ? 2 * runs.starts.length : lane.extent;
}

/** All different loads of a block, those of its own result left out. */
function loadsOf(block: Block): readonly Load[] {
  const found = new Map<string, Load>();
  walkExpr(block.value, (it) => {
    if (it.kind === "load" && it.buffer !== block.buffer) found.set(JSON.stringify([it.buffer, it.indices]), it);
  });
  return [...found.values()];
}

function namesIn(exprs: readonly Expr[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const expr of exprs) {
    walkExpr(expr, (it) => {
      if (it.kind === "var") names.add(it.name);
    });
  }
  return names;
}

/** Counts arithmetic of an instance: indices are not walked, casts are free, and a value that is used several times is computed once. */
const operationsOf = ({ value }: Block): number => Math.max(1, arithmeticIn(value, new Set()));

function arithmeticIn(expr: Expr, known: Set<string>): number {
  const key = exprKey(expr);
  if (known.has(key)) return 0;
  known.add(key);
  switch (expr.kind) {
    case "unary":
      return 1 + arithmeticIn(expr.operand, known);
    case "binary":
      return 1 + arithmeticIn(expr.left, known) + arithmeticIn(expr.right, known);
    case "cast":
    case "bitcast":
      return arithmeticIn(expr.operand, known);
    case "select":
      return arithmeticIn(expr.then, known) + arithmeticIn(expr.else, known);
    default:
      return 0;
  }
}

/**
 * Counts how often the loops' body runs. Ends that are cut off do not run; masked ones do. Where loops do not bind an axis as
 * digits of its value, all of their iterations count. A loop that binds several axes, as that over the parts of a sum does, counts
 * as a digit of the one that most loops bind.
 */
function executions({ block, loops }: Placed): number {
  const open = new Map(loops.map((loop) => [loop.name, loop]));
  const axes = block.axes.map(({ extent }, axis) => ({ extent, terms: toAffine(block.bindings[axis]!).terms }));
  const counts = axes
    .toSorted((a, b) => b.terms.length - a.terms.length)
    .map(({ extent, terms }) => {
      const own = terms.flatMap(({ atom, coefficient }) => {
        const loop = atom.kind === "var" ? open.get(atom.name) : undefined;
        return loop ? [{ loop, coefficient }] : [];
      });
      for (const { loop } of own) open.delete(loop.name);
      const all = product(own.map(({ loop }) => loop.extent));
      if (own.length === 0 || own.some(({ loop }) => loop.tail === "mask")) return all;
      // Loops around the block that are not among these stand outside: they begin parts of the axis.
      const isWhole = terms.every(({ atom }) => atom.kind === "var");
      return isWhole ? Math.min(all, Math.ceil(extent / Math.min(...own.map(({ coefficient }) => coefficient)))) : all;
    });
  return product([...counts, ...[...open.values()].map(({ extent }) => extent)]);
}
