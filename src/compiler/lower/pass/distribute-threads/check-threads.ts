// Threads that a schedule asks for and that do not fit together → a Diagnostic, thrown. Loops over groups are the outermost of a launch.
// Iterations of a bound loop run at the same time: where they store to the same elements, each thread needs registers of its own, or each
// group its memory. Values in either are gone in the next launch.
//
//   for C.j in 0..8 blockIdx.x
//     for C.k in 0..4: C.rf[C.k] = …      C.rf is workspace, which all groups see: eight of them store to C.rf[0]

import { accessedBuffers } from "../../../ir/accessed-buffers.ts";
import { type Affine, type AffineTerm, toAffine } from "../../../ir/affine.ts";
import { boundsOfAffine } from "../../../ir/bounds.ts";
import type { Block, Buffer, Expr, For, LoopFunc, Stmt } from "../../../ir/loop-ir.ts";
import { printStmt } from "../../../ir/print.ts";
import { rangesOf } from "../../../ir/ranges.ts";
import { groupAxisOf, isGridLoop, isThreadLoop, isWarpWide, laneAxis } from "../../../ir/thread-axes.ts";
import { childrenOf, varsIn, walkOwnExprs, walkStmt } from "../../../ir/visit.ts";
import { bindAxes } from "../../../schedule/nest.ts";
import { repeatingVars } from "../../../schedule/recompute.ts";
import type { DiagnosticCode } from "../../../support/codes.ts";
import { DiagnosticError } from "../../../support/diagnostic.ts";
import { gcd } from "../../../support/integer-math.ts";

/** Buffers by their names. */
type Buffers = ReadonlyMap<string, Buffer>;

/** @throws DiagnosticError `bind.not-outermost`, `bind.shared-storage`, `bind.recomputes` */
export const checkThreads = ({ body, buffers }: LoopFunc): void =>
  checkStores(body, new Map(buffers.map((buffer) => [buffer.name, buffer])));

/**
 * Checks what is stored to these buffers, by blocks or by statements.
 *
 * @throws DiagnosticError `bind.not-outermost`, `bind.shared-storage`, `bind.recomputes`
 */
export function checkStores(body: Stmt, buffers: Buffers): void {
  for (const launch of launchesOf(body)) checkLaunch(withoutGrid(launch), buffers, body);
}

const launchesOf = (body: Stmt): readonly Stmt[] => (body.kind === "seq" ? body.body.flatMap(launchesOf) : [body]);

/** A statement with the loops around it, outermost first. */
interface Inside {
  readonly stmt: Stmt;
  readonly around: readonly For[];
}

/** The inside of the loops over groups that a launch begins with. */
function withoutGrid(stmt: Stmt, around: readonly For[] = []): Inside {
  return stmt.kind === "for" && isGridLoop(stmt) ? withoutGrid(stmt.body, [...around, stmt]) : { stmt, around };
}

/** The bound loops around a store to a buffer that their iterations share. */
const sharingLoops = ({ memory }: Buffer, around: readonly For[]): readonly For[] =>
  memory === "register" || memory === "fragment"
    ? []
    : around.filter((loop) => isThreadLoop(loop) && loop.extent > 1 && !(memory === "group" && isGridLoop(loop)));

function checkLaunch({ stmt, around }: Inside, buffers: Buffers, body: Stmt): void {
  const buffer = stmt.kind === "block" || stmt.kind === "store" ? buffers.get(stmt.buffer) : undefined;
  if (stmt.kind === "block" && buffer) checkBlock(stmt, buffer, around, body);
  if (stmt.kind === "store" && buffer) checkStore(buffer, stmt.indices, around, body);
  if (stmt.kind === "for" && isGridLoop(stmt)) {
    throw refuse("bind.not-outermost", body, [stmt], {
      message: `${stmt.name} is bound to ${stmt.mark}, and is not among the outermost loops of its launch`,
      hint: "reorder: loops over groups come first",
    });
  }
  const inside = stmt.kind === "for" ? [...around, stmt] : around;
  for (const child of childrenOf(stmt)) checkLaunch({ stmt: child, around: inside }, buffers, body);
}

function checkBlock(block: Block, buffer: Buffer, around: readonly For[], body: Stmt): void {
  const indices = block.indices.map((index) => bindAxes(block, index));
  checkStore(buffer, indices, around, body);
  const repeating = repeatingVars(block);
  const coming = around.filter((loop) => repeating.has(loop.name) && !isThreadLoop(loop));
  for (const loop of coming.length === 0 ? [] : sharingLoops(buffer, around)) {
    const again = coming.find((other) => areTogether(block, loop, other));
    if (!again) continue;
    throw refuse("bind.recomputes", body, [loop, again], {
      message: `${again.name} comes back to elements of ${block.name} that another iteration of ${loop.name}, bound to ${loop.mark}, has stored`,
      hint: 'split with tail: "cut" or "mask"',
    });
  }
}

/** Checks a store: iterations that run at the same time store to different elements, or each has the buffer for itself. */
function checkStore(buffer: Buffer, indices: readonly Expr[], around: readonly For[], body: Stmt): void {
  for (const loop of sharingLoops(buffer, around)) {
    if (areApart(indices, loop, around.slice(around.indexOf(loop) + 1))) continue;
    const whose = buffer.memory === "group" ? "the threads of a group share" : "all groups share";
    throw refuse("bind.shared-storage", body, [loop], {
      message: `iterations of ${loop.name}, bound to ${loop.mark}, store to the same elements of ${buffer.name}, which ${whose}`,
      hint: isGridLoop(loop) ? "give it the memory of a group, or registers" : "give it registers",
    });
  }
}

/** Says whether two loops drive one axis of a block. */
const areTogether = ({ bindings }: Block, a: For, b: For): boolean =>
  bindings.some((binding) => {
    const names = varsIn(binding);
    return names.has(a.name) && names.has(b.name);
  });

function refuse(
  code: DiagnosticCode,
  body: Stmt,
  loops: readonly For[],
  { message, hint }: { readonly message: string; readonly hint: string },
): DiagnosticError {
  const marked = loops.map(({ name }) => name);
  return new DiagnosticError({ code, message, loc: null, hint, detail: printStmt(body, { marked }) });
}

/**
 * Says whether iterations of a loop store to different elements, as far as the sums in some index tell: what loops inside add is less
 * than the step from one iteration to the next, or a multiple of something that all iterations together do not reach.
 *
 *   j0*128 + t*4 + v,  t bound, v in 0..4, j0 inside      steps of 4, v adds less, and 128 is 32 steps
 */
function areApart(indices: readonly Expr[], loop: For, inside: readonly For[]): boolean {
  const ranges = rangesOf(inside);
  return indices.some((index) => {
    if (!varsIn(index).has(loop.name)) return false;
    const { terms } = toAffine(index);
    const step = stepOf(terms, loop.name);
    if (step === null) return true;
    const driven = terms.filter(({ atom }) => isDriven(atom, inside));
    const isFar = ({ coefficient }: AffineTerm): boolean => Math.abs(coefficient) >= step * loop.extent;
    const [far, near] = [driven.filter(isFar), driven.filter((term) => !isFar(term))];
    const { min, max } = boundsOfAffine({ terms: near, constant: 0 }, ranges);
    const period = far.reduce((all, { coefficient }) => gcd(all, Math.abs(coefficient)), 0);
    const reach = step * (loop.extent - 1) + max - min;
    return max - min < step && (far.length === 0 || reach < period);
  });
}

const isDriven = (atom: Expr, loops: readonly For[]): boolean => {
  const names = varsIn(atom);
  return loops.some(({ name }) => names.has(name));
};

/** Distance of two neighbouring iterations; null: they are in no sum, but in a quotient or the like. */
function stepOf(terms: Affine["terms"], loop: string): number | null {
  const own = terms.filter(({ atom }) => varsIn(atom).has(loop));
  const [only] = own;
  return only && own.length === 1 && only.atom.kind === "var" ? Math.abs(only.coefficient) : null;
}

/**
 * Refuses memory of threads and groups that one launch of a flat function stores to and another reads. A schedule has its launches only when
 * it is flat: until then a loop around them may be unrolled, or run once.
 *
 * @throws DiagnosticError `set-scope.left-launch`
 */
export function checkLeft({ body, buffers }: LoopFunc): void {
  const launchOf = new Map<string, number>();
  let launch = 0;
  let isAlone = false;
  for (const stmt of launchesOf(body)) {
    const isOfThreads = hasThreads(stmt);
    if (isOfThreads || !isAlone) launch++;
    isAlone = !isOfThreads;
    const { stored, loaded } = accessedBuffers(stmt);
    for (const { name, memory } of buffers) {
      if ((memory !== "register" && memory !== "group") || !(stored.has(name) || loaded.has(name))) continue;
      const first = launchOf.get(name) ?? launch;
      launchOf.set(name, first);
      if (first === launch) continue;
      const whose = memory === "group" ? "the memory of a group" : "registers";
      throw refuse("set-scope.left-launch", body, [], {
        message: `${name} is in ${whose}, which one launch leaves and another finds empty`,
        hint: "make it workspace, or compute it in the launch that reads it",
      });
    }
  }
}

/**
 * Refuses tiles that neighbours along x hold together where each of them would do something of its own with one: in a loop over them, or
 * with an element of it.
 *
 * @throws DiagnosticError `bind.taken`, `bind.shared-storage`
 */
export function checkTiles({ body, buffers }: LoopFunc): void {
  const held = new Set(buffers.filter(({ memory }) => memory === "register").map(({ name }) => name));
  const tiles = new Set<string>();
  const apart = new Map<string, Stmt>();
  const note = (buffer: string, value: Expr, stmt: Stmt): void => {
    if (!held.has(buffer)) return;
    if (isWarpWide(value)) tiles.add(buffer);
    else apart.set(buffer, stmt);
  };
  const checkIn = (stmt: Stmt, lanes: For | null): void => {
    if (stmt.kind === "store") {
      if (lanes && isWarpWide(stmt.value)) throw lanesTaken(stmt.buffer, lanes, body);
      note(stmt.buffer, stmt.value, stmt);
    }
    walkOwnExprs(stmt, (expr) => expr.kind === "load" && note(expr.buffer, expr, stmt));
    const inside = stmt.kind === "for" && groupAxisOf(stmt) === laneAxis ? stmt : lanes;
    for (const child of childrenOf(stmt)) checkIn(child, inside);
  };
  checkIn(body, null);
  for (const [buffer, stmt] of apart) if (tiles.has(buffer)) throw elementTaken(buffer, stmt);
}

const lanesTaken = (buffer: string, loop: For, body: Stmt): DiagnosticError =>
  refuse("bind.taken", body, [loop], {
    message: `the threads along ${laneAxis} store a tile of ${buffer} together, and ${loop.name} is bound to them`,
    hint: "bind the loop to threadIdx.y or threadIdx.z",
  });

const elementTaken = (buffer: string, stmt: Stmt): DiagnosticError =>
  refuse("bind.shared-storage", stmt, [], {
    message: `the threads along ${laneAxis} hold a tile of ${buffer} together, and each of them computes with elements of it`,
    hint: 'tensorize the loops that do by an instruction of the target, or mark them with the word "warp"',
  });

function hasThreads(stmt: Stmt): boolean {
  let found = false;
  walkStmt(stmt, (each) => {
    found ||= each.kind === "for" && isThreadLoop(each);
  });
  return found;
}
