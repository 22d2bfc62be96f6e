// Operation → its effect on the memories, element by element, each access checked.

import type {
  HardwareLoop,
  LoadOperation,
  Operation,
  ProductOperation,
  Scratchpad,
  StoreOperation,
  VectorOp,
  VectorOperation,
} from "../isa/instruction.ts";
import { side, tile } from "../machine.ts";
import type { Accessor, Memory } from "./memory.ts";

export interface Memories {
  readonly scratchpads: Readonly<Record<Scratchpad, Memory>>;
  readonly buffer: (name: string) => Memory;
}

export function execute(operation: Operation, memories: Memories, by: Accessor): void {
  switch (operation.kind) {
    case "load":
      load(operation, memories, by);
      break;
    case "store":
      store(operation, memories, by);
      break;
    case "product":
      if (operation.resets) reset(operation, memories, by);
      else multiply(operation, memories, by);
      break;
    case "vector":
      vector(operation, memories, by);
  }
}

function load(it: LoadOperation, { scratchpads, buffer }: Memories, by: Accessor): void {
  const { above, below, left, right } = it.padding;
  const [source, target] = [buffer(it.buffer), scratchpads[it.scratchpad]];
  const width = left + it.columns + right;
  for (let row = 0; row < above + it.rows + below; row++) {
    const to = it.address + row * it.pitch;
    target.write(to, width, by);
    target.elements.fill(0, to, to + width);
    if (row < above || row >= above + it.rows) continue;
    const from = it.offset + (row - above) * it.stride;
    source.read(from, it.columns, by);
    target.elements.set(source.elements.subarray(from, from + it.columns), to + left);
  }
}

function store(it: StoreOperation, { scratchpads, buffer }: Memories, by: Accessor): void {
  const [source, target] = [scratchpads.sums, buffer(it.buffer)];
  for (let row = 0; row < it.rows; row++) {
    const [from, to] = [it.address + row * it.pitch, it.offset + row * it.stride];
    source.read(from, it.columns, by);
    target.write(to, it.columns, by);
    target.elements.set(source.elements.subarray(from, from + it.columns), to);
  }
}

function reset({ sums, loops }: ProductOperation, { scratchpads }: Memories, by: Accessor): void {
  inLoops(loops, [sums, 0, 0], (at) => {
    scratchpads.sums.write(at, side, by);
    scratchpads.sums.elements.fill(0, at, at + side);
  });
}

function multiply({ sums, inputs, weights, loops }: ProductOperation, { scratchpads }: Memories, by: Accessor): void {
  const [C, A, B] = [scratchpads.sums.elements, scratchpads.inputs.elements, scratchpads.weights.elements];
  inLoops(loops, [sums, inputs, weights], (c, a, b) => {
    scratchpads.inputs.read(a, side, by);
    scratchpads.weights.read(b, tile, by);
    scratchpads.sums.read(c, side, by);
    scratchpads.sums.write(c, side, by);
    for (let step = 0; step < side; step++) {
      const factor = A[a + step] ?? 0;
      for (let column = 0; column < side; column++) {
        C[c + column] = (C[c + column] ?? 0) + factor * (B[b + step * side + column] ?? 0);
      }
    }
  });
}

function vector({ op, result, left, right, loops }: VectorOperation, { scratchpads }: Memories, by: Accessor): void {
  const { sums } = scratchpads;
  const compute = scalar[op];
  inLoops(loops, [result, left, right.kind === "sums" ? right.address : 0], (to, a, b) => {
    sums.read(a, side, by);
    if (right.kind === "sums") sums.read(b, side, by);
    sums.write(to, side, by);
    for (let lane = 0; lane < side; lane++) {
      const value = right.kind === "sums" ? (sums.elements[b + lane] ?? 0) : right.value;
      sums.elements[to + lane] = compute(sums.elements[a + lane] ?? 0, value);
    }
  });
}

const scalar: Readonly<Record<VectorOp, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: Math.imul,
  min: Math.min,
  max: Math.max,
  shr: (a, b) => a >> b,
};

/** Calls with the addresses of the three operands in each iteration, the last loop the innermost. */
function inLoops(
  loops: readonly HardwareLoop[],
  [a, b, c]: readonly [number, number, number],
  call: (a: number, b: number, c: number) => void,
  depth = 0,
): void {
  const loop = loops[depth];
  if (!loop) {
    call(a, b, c);
    return;
  }
  const [stepA = 0, stepB = 0, stepC = 0] = loop.steps;
  for (let at = 0; at < loop.count; at++) {
    inLoops(loops, [a + at * stepA, b + at * stepB, c + at * stepC], call, depth + 1);
  }
}
