// The constraint model of a GEMM on tensor cores with shared memory, of the size and shape of Heron's (ASPLOS 2023): 37
// decisions, 120 variables and, counted as Heron does (auxiliary products and a 0/1 variable for each option of a select),
// some 190: the shape of an intrinsic, four positions, tiles of blocks, warps, lanes and of three levels around the
// intrinsic. It adds what Heron leaves out: the sum of shared memory by lifetime, registers, rows that share banks.
//
//   out (i, j) → acc.shared (at a block) → acc (at a warp): fragments of m × n   ← A.frag, B.frag ← A.shared, B.shared
//   acc: i.0 j.0 k.0 i.1 j.1 k.1 i.2 j.2 k.2 i.3 j.3 k.3 (fragments); the positions are the loops of six of its levels

import type { Constraint, ConstraintModel, Domain, Term, Variable } from "../../../src/tuner/constraint/constraint.ts";

export interface TensorCoreSpace {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly sharedBytes: number;
  readonly threads: number;
  /** Registers of a thread, for accumulators and fragments. */
  readonly registers: number;
  readonly multiprocessors: number;
}

/** A GPU as Heron's were: V100, T4, A100. */
export const volta = { sharedBytes: 48 * 1024, threads: 1024, registers: 255, multiprocessors: 80 };

export function tensorCoreModel(space: TensorCoreSpace): ConstraintModel {
  const model = new ModelInMaking();
  addIntrinsic(model);
  addOutput(model, space);
  addStoredTile(model, space);
  addAccumulator(model, space);
  for (const operand of operandsOf(space)) addOperand(model, operand);
  addMemory(model, space);
  addRegisters(model, space);
  return { variables: model.variables, constraints: model.constraints };
}

type Role = Constraint["role"];

class ModelInMaking {
  readonly variables: Variable[] = [];
  readonly constraints: Constraint[] = [];

  key(name: string, domain: readonly number[]): string {
    this.variables.push({ name, domain, key: true });
    return name;
  }

  derived(name: string, domain: Domain): string {
    this.variables.push({ name, domain, key: false });
    return name;
  }

  product(result: Term, factors: readonly Term[], why: string, role: Role = "definition"): void {
    this.constraints.push({ kind: "product", result, factors, why, role });
  }

  sum(result: Term, terms: readonly Term[], why: string, offset = 0): void {
    const weighted = terms.map((term) => ({ coefficient: 1, term }));
    this.constraints.push({ kind: "sum", result, terms: weighted, offset, why, role: "definition" });
  }

  ceilDiv(result: string, numerator: Term, divisor: Term, why: string): void {
    this.constraints.push({ kind: "ceil-div", result, numerator, divisor, why, role: "definition" });
  }

  select(result: string, index: string, options: readonly Term[], why: string): void {
    this.constraints.push({ kind: "select", result, index, options, why, role: "definition" });
  }

  compare(left: Term, kind: "equal" | "at-most", right: Term, why: string): void {
    this.constraints.push({ kind, left, right, why, role: "limit" });
  }

  /** Cuts an extent in tiles, a decision, and what is left of it in one of them. */
  split(extent: Term, tiles: string, inner: string, most: number, why: string): void {
    this.key(tiles, divisorsOf(most));
    this.derived(inner, divisorsOf(most));
    this.product(extent, [tiles, inner], why);
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const divisorsOf = (extent: number): number[] => upTo(extent).filter((divisor) => extent % divisor === 0);
const axesOf = ({ m, n }: TensorCoreSpace): readonly (readonly ["i" | "j", number])[] => [
  ["i", m],
  ["j", n],
];

/** Adds the intrinsic on 16-bit operands: a fragment has 256 results and 16 steps of k. */
function addIntrinsic(model: ModelInMaking): void {
  model.key("wmma.m", [8, 16, 32]);
  model.key("wmma.n", [8, 16, 32]);
  model.key("wmma.k", [16]);
  model.product(4096, ["wmma.m", "wmma.n", "wmma.k"], "an intrinsic has 4096 multiply-adds", "limit");
}

/** The result in global memory: blocks, warps, lanes, vectors. */
function addOutput(model: ModelInMaking, space: TensorCoreSpace): void {
  for (const [axis, extent] of axesOf(space)) {
    const at = (level: string): string => `out.${axis}.${level}`;
    model.split(extent, at("block"), at("in-block"), extent, `blocks cover ${extent} of ${axis}`);
    model.split(at("in-block"), at("warp"), at("in-warp"), extent, `warps cover a block's ${axis}`);
    model.split(at("in-warp"), at("lane"), at("in-lane"), extent, `lanes cover a warp's ${axis}`);
    model.split(at("in-lane"), at("steps"), at("vector"), extent, `vectors cover a lane's ${axis}`);
  }
  model.key("out.vector", [1, 2, 4, 8]);
  model.product("out.vector", ["out.i.vector", "out.j.vector"], "a lane stores vectors of 1, 2, 4 or 8", "limit");
  model.key("threads.x", [32]);
  model.key("threads.y", upTo(space.threads / 32));
  model.product("threads.x", ["out.i.lane", "out.j.lane"], "a warp has 32 lanes", "limit");
  model.product("threads.y", ["out.i.warp", "out.j.warp"], "all warps store", "limit");
  model.derived("blocks", { from: 1, to: space.m * space.n });
  model.product("blocks", ["out.i.block", "out.j.block"], "blocks of the grid");
  model.derived("threads", { from: 32, to: 32 * space.threads });
  model.product("threads", ["threads.x", "threads.y"], "threads of a block");
  model.compare("threads", "at-most", space.threads, `a block has at most ${space.threads} threads`);
  model.key("out.unroll", [0, 1, 2, 3, 4, 5]);
  addGrid(model, space);
}

/** Blocks are numbered in stripes of j, whose operands stay in L2; multiprocessors take them in waves. */
function addGrid(model: ModelInMaking, { m, n, multiprocessors }: TensorCoreSpace): void {
  model.key("out.stripe", [1, 2, 4, 8]);
  model.derived("out.stripes", divisorsOf(n));
  model.product("out.j.block", ["out.stripe", "out.stripes"], "stripes are of as many blocks");
  model.derived("waves", { from: 1, to: m * n });
  model.ceilDiv("waves", "blocks", multiprocessors, `waves of blocks on ${multiprocessors} multiprocessors`);
}

/** The tile of a block on its way from fragments to global memory. */
function addStoredTile(model: ModelInMaking, space: TensorCoreSpace): void {
  model.key("acc.shared.position", [0, 1, 2, 3]);
  for (const [axis, extent] of axesOf(space)) {
    const tile = model.derived(`acc.shared.${axis}`, divisorsOf(extent));
    const below = ["in-block", "in-warp", "in-lane"].map((level) => `out.${axis}.${level}`);
    model.select(tile, "acc.shared.position", [extent, ...below], `${axis} of acc.shared, by where it is computed`);
    model.split(tile, `${tile}.warp`, `${tile}.in-warp`, extent, `warps cover acc.shared's ${axis}`);
    const fragment = axis === "i" ? "wmma.m" : "wmma.n";
    model.derived(`${tile}.fragments`, divisorsOf(extent));
    model.product(`${tile}.in-warp`, [`${tile}.fragments`, fragment], `a warp stores whole fragments along ${axis}`);
  }
  model.compare("acc.shared.position", "equal", 1, "acc.shared is computed at a block");
  model.product("threads.y", ["acc.shared.i.warp", "acc.shared.j.warp"], "all warps store fragments", "limit");
  model.key("acc.shared.offset", [0, 8, 16, 24, 32, 48]);
  model.key("acc.shared.vector", [1, 2, 4, 8]);
  model.derived("acc.shared.vectors", divisorsOf(space.n));
  model.product("acc.shared.j", ["acc.shared.vector", "acc.shared.vectors"], "a row of acc.shared is whole vectors");
}

/** The sums of a warp: three levels of tiles of each axis, and the fragments in the innermost. */
function addAccumulator(model: ModelInMaking, space: TensorCoreSpace): void {
  model.key("acc.position", [0, 1, 2]);
  for (const [axis, extent] of axesOf(space)) {
    const options = [`acc.shared.${axis}`, `acc.shared.${axis}.in-warp`, axis === "i" ? "wmma.m" : "wmma.n"];
    model.derived(`acc.${axis}`, divisorsOf(extent));
    model.select(`acc.${axis}`, "acc.position", options, `${axis} of the sums, by where they are computed`);
  }
  model.compare("acc.position", "equal", 1, "the sums are computed by a warp");
  addTiles(model, "i", "acc.i", space.m, "wmma.m");
  addTiles(model, "j", "acc.j", space.n, "wmma.n");
  addTiles(model, "k", space.k, space.k, "wmma.k");
  for (const level of [0, 1, 2]) {
    const tiles = ["i", "j", "k"].map((axis) => `acc.${axis}.tile.${level}`);
    model.derived(`acc.iterations.${level}`, { from: 1, to: 2 ** 30 });
    model.product(`acc.iterations.${level}`, tiles, `iterations of the loops of level ${level}`);
  }
}

/** axis.below.0 … 3: fragments inside of each level; axis.elements.0 … 3: their elements. */
function addTiles(model: ModelInMaking, axis: string, extent: Term, most: number, fragment: string): void {
  const below = (level: number): string => `acc.${axis}.below.${level}`;
  const elements = (level: number): string => `acc.${axis}.elements.${level}`;
  model.derived(below(0), divisorsOf(most));
  model.product(extent, [below(0), fragment], `${axis} is whole fragments`);
  for (const level of [1, 2, 3]) {
    model.split(below(level - 1), `acc.${axis}.tile.${level - 1}`, below(level), most, `tiles ${level} of ${axis}`);
    model.derived(elements(level), divisorsOf(most));
    model.product(elements(level), [below(level), fragment], `elements of ${axis} below level ${level}`);
  }
}

interface Operand {
  readonly name: "A" | "B";
  readonly axis: "i" | "j";
  readonly extent: number;
  readonly k: number;
  readonly fragment: string;
}

const operandsOf = ({ m, n, k }: TensorCoreSpace): readonly Operand[] => [
  { name: "A", axis: "i", extent: m, k, fragment: "wmma.m" },
  { name: "B", axis: "j", extent: n, k, fragment: "wmma.n" },
];

/** Levels of i or j, and of k, that are inside of each of the six positions in the accumulator's loops. */
const positions = [
  [1, 0],
  [1, 1],
  [2, 1],
  [2, 2],
  [3, 2],
  [3, 3],
] as const;

/** An operand's copies in shared memory, for all warps of a block, and in a warp's fragments. */
function addOperand(model: ModelInMaking, { name, axis, extent, k, fragment }: Operand): void {
  if (name === "A") addPositions(model);
  const own = positions.map(([level]) => `acc.${axis}.elements.${level}`);
  const deep = positions.map(([, level]) => (level === 0 ? k : `acc.k.elements.${level}`));
  const shared = `${name}.shared`;
  for (const [copy, position] of [
    [`${name}.frag`, "fragments.position"],
    [shared, "shared.position"],
  ] as const) {
    model.derived(`${copy}.${axis}.of-warp`, divisorsOf(extent));
    model.derived(`${copy}.k`, divisorsOf(k));
    model.select(`${copy}.${axis}.of-warp`, position, own, `${axis} of ${copy}, by where it is copied`);
    model.select(`${copy}.k`, position, deep, `k of ${copy}, by where it is copied`);
  }
  model.derived(`${name}.frag.count.${axis}`, divisorsOf(extent));
  model.derived(`${name}.frag.count.k`, divisorsOf(k));
  model.product(`${name}.frag.${axis}.of-warp`, [`${name}.frag.count.${axis}`, fragment], `whole fragments of ${name}`);
  model.product(`${name}.frag.k`, [`${name}.frag.count.k`, "wmma.k"], `whole fragments of ${name} along k`);
  model.derived(`${shared}.${axis}`, divisorsOf(extent));
  model.product(
    `${shared}.${axis}`,
    [`${shared}.${axis}.of-warp`, `acc.shared.${axis}.warp`],
    `${shared} is for all warps`,
  );
  addRows(model, shared, k);
}

function addPositions(model: ModelInMaking): void {
  model.key("shared.position", [...positions.keys()]);
  model.key("fragments.position", [...positions.keys()]);
  const why = "fragments are loaded inside of the loop that fills shared memory";
  model.compare("shared.position", "at-most", "fragments.position", why);
}

/** Rows along k, padded against bank conflicts, and copied in vectors. */
function addRows(model: ModelInMaking, shared: string, k: number): void {
  model.key(`${shared}.offset`, [0, 8, 16, 24, 32, 48]);
  model.key(`${shared}.vector`, [1, 2, 4, 8]);
  model.derived(`${shared}.vectors`, divisorsOf(k));
  model.product(`${shared}.k`, [`${shared}.vector`, `${shared}.vectors`], `a row of ${shared} is whole vectors`);
  model.constraints.push({
    kind: "conditional",
    when: [{ tunable: `${shared}.offset`, oneOf: [0] }],
    then: { kind: "at-most", left: `${shared}.k`, right: 32 },
    why: `rows of ${shared} of more than 32 elements are padded: the banks repeat after 64`,
    role: "limit",
  });
}

/** Bytes of shared memory: acc.shared takes the place of A.shared once all sums are complete, B.shared stays. */
function addMemory(model: ModelInMaking, { m, n, sharedBytes, threads }: TensorCoreSpace): void {
  const most = 2 ** 30;
  for (const [buffer, rows, columns] of [
    ["A.shared", "A.shared.i", "A.shared.k"],
    ["B.shared", "B.shared.j", "B.shared.k"],
    ["acc.shared", "acc.shared.i", "acc.shared.j"],
  ] as const) {
    model.derived(`${buffer}.pitch`, { from: 1, to: Math.max(m, n) + 4096 });
    model.sum(`${buffer}.pitch`, [columns, `${buffer}.offset`], `elements from row to row of ${buffer}`);
    model.derived(`${buffer}.bytes`, { from: 0, to: most });
    model.product(`${buffer}.bytes`, [2, rows, `${buffer}.pitch`], `bytes of ${buffer}`);
    model.derived(`${buffer}.round`, { from: 1, to: 8 * threads });
    model.product(`${buffer}.round`, [`${buffer}.vector`, "threads"], `elements that all threads copy at once`);
    model.derived(`${buffer}.elements`, { from: 1, to: most });
    model.product(`${buffer}.elements`, [rows, columns], `elements of ${buffer}`);
    model.derived(`${buffer}.rounds`, { from: 1, to: most });
    model.ceilDiv(`${buffer}.rounds`, `${buffer}.elements`, `${buffer}.round`, `rounds to copy ${buffer}`);
  }
  for (const first of ["A.shared", "acc.shared"]) {
    const live = model.derived(`live-with-${first}.bytes`, { from: 0, to: most });
    model.sum(live, [`${first}.bytes`, "B.shared.bytes"], `bytes of ${first} and B.shared`);
    const why = `${first} and B.shared fit ${sharedBytes} bytes of shared memory together`;
    model.compare(live, "at-most", sharedBytes, why);
  }
}

/** Registers of a thread: 8 for a fragment of sums in 32 bits, m / 2 and n / 2 for those of the operands. */
function addRegisters(model: ModelInMaking, { registers }: TensorCoreSpace): void {
  const counted = (name: string, factors: readonly Term[], why: string): string => {
    model.derived(name, { from: 0, to: 2 ** 24 });
    model.product(name, factors, why);
    return name;
  };
  const sums = counted("acc.registers", [8, "acc.i.below.0", "acc.j.below.0"], "registers of the sums");
  const halves = (["A", "B"] as const).map((name) => {
    const axis = name === "A" ? "i" : "j";
    const factors = [`${name}.frag.${axis}.of-warp`, `${name}.frag.count.k`];
    return counted(`${name}.frag.half-registers`, factors, `half of the registers of the fragments of ${name}`);
  });
  const used = model.derived("registers", { from: 0, to: 2 ** 25 });
  const terms = [{ coefficient: 2, term: sums }, ...halves.map((term) => ({ coefficient: 1, term }))];
  model.constraints.push({ kind: "sum", result: used, terms, offset: 0, why: "registers, twice", role: "definition" });
  model.derived("block.registers", { from: 0, to: 2 ** 30 });
  model.product("block.registers", [used, "threads"], "registers of all threads of a block, twice");
  model.compare("block.registers", "at-most", 2 ** 17, "the threads of a block fit a file of 65536 registers");
  model.compare(used, "at-most", 2 * registers, `sums and fragments fit ${registers} registers of a thread`);
}
