// Shadow cells of the interpreter: who stored to an element last and who has read it since, for a run that is watched. Two threads
// of a group race where both touch an element between the same two barriers and one of them stores; two groups of a launch
// race wherever one of them stores, for nothing orders them. Both accesses are named, as is one outside of its buffer.
//
// A copy in the background is under way from its store until its thread waits for it: nobody may touch the element before.
// Work that a warp computes together is the warp's, and none of its lanes knows which lane has which element.

import { product } from "../support/integer-math.ts";
import { copiedAhead, filledByBoxes } from "./copied-ahead.ts";
import { areInTurn, type Batches, noBatches } from "./interpret-batches.ts";
import { type Coordinates, type Findings, newFindings } from "./interpret-findings.ts";
import { type Lane, type Memory, offsetOf, write } from "./interpret-memory.ts";
import type { Scope } from "./interpret-scope.ts";
import type { LoopFunc, Stmt, Sync } from "./loop-ir.ts";
import { gridAxes, isWarpWide, laneAxis } from "./thread-axes.ts";

/** All accesses of one statement by one thread between two barriers. */
interface Step {
  readonly isStore: boolean;
  readonly stmt: Stmt;
  readonly thread: Thread;
  readonly launch: number;
  readonly group: number;
  /** Number of the part of the run between two barriers: each group begins another. */
  readonly phase: number;
  readonly groupAt: Coordinates;
  readonly batches: Batches;
}

interface Shadow {
  /** The last store. */
  stored: Step | null;
  /** Loads since then in one phase, of two threads if there are two: a third store races with one of these anyway. */
  loaded: readonly [Step, Step | null] | null;
  /** The first load since then in a launch. */
  first: Step | null;
  /** Whether what was stored is under way. */
  isUnderWay: boolean;
  /** The last load of shared memory by the thread that stored, before it did. */
  made: SharedLoad | null;
}

interface SharedLoad {
  readonly buffer: string;
  readonly offset: number;
  readonly step: Step;
  /** The store of what was loaded; null: there is none. */
  readonly from: Step | null;
}

interface Shadows {
  readonly memory: Memory;
  readonly number: number;
  readonly cells: Shadow[];
  /** Whether copies in the background fill the buffer. */
  readonly isAhead: boolean;
  /** Slots of a buffer that boxes fill; undefined: none do. */
  readonly slots: number | undefined;
}

interface Thread {
  /** Number in its group; the negative ones are warps. */
  readonly number: number;
  readonly at: Coordinates;
  /** Copies of no batch yet, and the batches that are under way. */
  readonly copies: { open: (() => void)[]; readonly batches: (() => void)[][] };
  batches: Batches;
  lastLoad: SharedLoad | null;
  /** The last load of an element without a value. */
  unset: SharedLoad | null;
}

const newThread = (number: number, at: Coordinates): Thread => ({
  number,
  at,
  copies: { open: [], batches: [] },
  batches: noBatches,
  lastLoad: null,
  unset: null,
});

/** A run that is watched. */
interface Run {
  launch: number;
  group: number;
  phase: number;
  groupAt: Coordinates;
  readonly ahead: ReadonlySet<string>;
  readonly slots: ReadonlyMap<string, number>;
  /** Threads of a group, and its warps. */
  readonly threads: Set<Thread>;
  readonly shadows: Map<Memory, Shadows>;
  readonly findings: Findings;
  /** Sum over all accesses, whatever their order: that of two runs with the same accesses is the same. */
  trail: number;
}

/** The place in the program that closures of a watched run know. */
export interface Watch {
  readonly run: Run;
  readonly thread: Thread;
  readonly warp: Thread;
  readonly stmt: Stmt;
  readonly isInLaunch: boolean;
}

export function newWatch({ body }: LoopFunc): Watch {
  const run: Run = {
    launch: 0,
    group: 0,
    phase: 0,
    groupAt: {},
    ahead: copiedAhead(body),
    slots: filledByBoxes(body),
    threads: new Set(),
    shadows: new Map(),
    findings: newFindings(),
    trail: 0,
  };
  return { run, thread: newThread(0, {}), warp: newThread(-1, {}), stmt: body, isInLaunch: false };
}

/** The scope in a statement, whose accesses it names. */
export function scopeAt(scope: Scope, stmt: Stmt): Scope {
  const { watch } = scope;
  if (!watch) return scope;
  const isTile = (stmt.kind === "store" || stmt.kind === "define" || stmt.kind === "assign") && isWarpWide(stmt.value);
  return { ...scope, watch: { ...watch, stmt, thread: isTile ? watch.warp : watch.thread } };
}

/** The scopes of the threads of a group, each with its own name. */
export function scopesOfThreads(scopes: readonly Scope[], axes: readonly string[]): readonly Scope[] {
  const warps = new Map<string, Thread>();
  return scopes.map((scope, number) => {
    const { watch, cells } = scope;
    if (!watch) return scope;
    const at = (names: readonly string[]): Coordinates =>
      Object.fromEntries(names.map((name) => [name, cells.get(name)!.value as number]));
    const ofWarp = at(axes.filter((name) => name !== laneAxis));
    const key = JSON.stringify(ofWarp);
    const warp = warps.get(key) ?? newThread(-1 - warps.size, ofWarp);
    warps.set(key, warp);
    const thread = newThread(number, at(axes));
    watch.run.threads.add(thread).add(warp);
    return { ...scope, watch: { ...watch, thread, warp } };
  });
}

/** Marks a loop over groups or threads: the outermost is a launch, and each iteration begins another group. */
export function watchLaunch(scope: Scope): {
  readonly inside: Scope;
  readonly around: (run: () => void) => () => void;
} {
  const { watch } = scope;
  if (!watch || watch.isInLaunch) return { inside: scope, around: (run) => run };
  const { run } = watch;
  const around = (action: () => void) => () => {
    run.launch++;
    run.phase++;
    action();
    run.launch++;
    run.phase++;
  };
  return { inside: { ...scope, watch: { ...watch, isInLaunch: true } }, around };
}

export function beginGroup({ watch, cells }: Scope): void {
  if (!watch) return;
  const { run } = watch;
  run.group++;
  run.phase++;
  for (const thread of run.threads) thread.batches = noBatches;
  // A group has nothing of what another has left in this memory.
  for (const { written, buffer } of run.shadows.keys()) if (buffer.memory === "group") written.fill(0);
  run.groupAt = Object.fromEntries(
    gridAxes.flatMap((name) => (cells.has(name) ? [[name, cells.get(name)!.value as number]] : [])),
  );
}

/** Effect of a barrier, a batch of copies or waiting for one on a watched run; null: none. */
export function watchSync({ what, pending }: Sync, { watch }: Scope): (() => void) | null {
  if (!watch) return null;
  const { run, thread, warp } = watch;
  const { copies } = thread;
  // Boxes are tiles, so they are the warp's, whose first lane does this for it.
  const both = isFirstLane(thread) ? [thread, warp] : [thread];
  const count = (which: keyof Batches): void => {
    for (const one of both) one.batches = { ...one.batches, [which]: one.batches[which] + 1 };
  };
  switch (what) {
    case "barrier":
      return () => void run.phase++;
    case "commit":
      return () => commit(copies);
    case "wait":
      return () => arriveFirst(copies, copies.batches.length - pending);
    case "fill":
      return () => {
        count("filled");
        if (isFirstLane(thread)) commit(warp.copies);
      };
    case "await-fill":
      return () => {
        count("awaited");
        if (isFirstLane(thread)) arriveFirst(warp.copies, 1);
      };
    case "release":
      return () => count("released");
    case "await-release":
      return () => count("freed");
    default:
      return null;
  }
}

const isFirstLane = ({ at }: Thread): boolean => (at[laneAxis] ?? 0) === 0;

function commit(copies: Thread["copies"]): void {
  copies.batches.push(copies.open);
  copies.open = [];
}

/** Has the oldest batches arrive. */
function arriveFirst({ batches }: Thread["copies"], count: number): void {
  for (const arrive of batches.splice(0, Math.max(0, count)).flat()) arrive();
}

/** Returns a function that takes note of an access and gives its offset; null: the run is not watched. */
export function watchAccess(
  { watch }: Scope,
  memory: Memory,
  isStore: boolean,
): ((point: readonly Lane[]) => number) | null {
  if (!watch) return null;
  const { run, thread, stmt } = watch;
  const shadows = shadowsOf(run, memory);
  let step: Step | null = null;
  const stepNow = (): Step => {
    const { launch, group, phase, groupAt } = run;
    const { batches } = thread;
    if (step?.phase !== phase || step.batches !== batches) {
      step = { isStore, stmt, thread, launch, group, phase, groupAt, batches };
    }
    return step;
  };
  const note = isStore ? noteStore : noteLoad;
  return (point) => {
    if (!isInside(memory, point))
      run.findings.add({ kind: "outside", buffer: memory.buffer.name, at: point }, [stepNow()]);
    const offset = offsetOf(memory, point);
    if (!shadows) return offset;
    note(run, shadows, offset, stepNow());
    run.trail = (run.trail + mixed(run, shadows, offset, stepNow())) | 0;
    return offset;
  };
}

/** A number that differs from those of other accesses, but for some by chance. */
function mixed({ group }: Run, { number }: Shadows, offset: number, { thread, isStore }: Step): number {
  let mix = group;
  for (const part of [number, thread.number, offset, isStore ? 1 : 0]) {
    mix = Math.imul(mix ^ part, 0x9e3779b1);
    mix ^= mix >>> 15;
  }
  return mix;
}

/** Shadows of a buffer in which threads may meet; null: it is no such buffer. */
function shadowsOf({ shadows, ahead, slots }: Run, memory: Memory): Shadows | null {
  const { name, role, memory: place } = memory.buffer;
  if (role === "input" || place === "register" || place === "fragment") return null;
  const known = shadows.get(memory);
  if (known) return known;
  const cells: Shadow[] = new Array(product(memory.buffer.shape));
  const made: Shadows = { memory, number: shadows.size, cells, isAhead: ahead.has(name), slots: slots.get(name) };
  shadows.set(memory, made);
  return made;
}

const isInside = ({ buffer }: Memory, point: readonly Lane[]): boolean =>
  point.every((index, dim) => index !== null && index >= 0 && index < buffer.shape[dim]!);

const newShadow = (): Shadow => ({ stored: null, loaded: null, first: null, isUnderWay: false, made: null });

function shadowAt({ cells }: Shadows, offset: number): Shadow {
  const known = cells[offset];
  if (known) return known;
  const made = newShadow();
  cells[offset] = made;
  return made;
}

function noteLoad(run: Run, shadows: Shadows, offset: number, step: Step): void {
  const cell = shadowAt(shadows, offset);
  const { stored, loaded, first } = cell;
  if (stored && meet(cell, stored, step, shadows)) noteRace(run, shadows, offset, stored, step);
  if (first?.launch !== step.launch) cell.first = step;
  if (!loaded || loaded[0].phase !== step.phase) cell.loaded = [step, null];
  else if (!loaded[1] && loaded[0].thread !== step.thread) cell.loaded = [loaded[0], step];
  const { thread } = step;
  const load = { buffer: shadows.memory.buffer.name, offset, step, from: stored };
  if (shadows.memory.written[offset] === 0) thread.unset = load;
  thread.lastLoad = load;
}

function noteStore(run: Run, shadows: Shadows, offset: number, step: Step): void {
  const cell = shadowAt(shadows, offset);
  for (const earlier of [cell.stored, ...(cell.loaded ?? []), cell.first]) {
    if (!earlier || !meet(cell, earlier, step, shadows)) continue;
    noteRace(run, shadows, offset, earlier, step);
    break;
  }
  const isResult = shadows.memory.buffer.role === "output";
  if (isResult && cell.stored?.launch === step.launch && !cell.loaded)
    run.findings.add({ kind: "overwritten", buffer: shadows.memory.buffer.name, at: [offset] }, [cell.stored, step]);
  const { lastLoad } = step.thread;
  shadows.cells[offset] = { ...newShadow(), stored: step, isUnderWay: shadows.isAhead, made: lastLoad };
  if (shadows.isAhead) step.thread.copies.open.push(() => arrive(run, shadows, offset, step));
}

/** A copy has arrived: from here on it is as if its thread had just stored it. */
function arrive(run: Run, { cells }: Shadows, offset: number, step: Step): void {
  const cell = cells[offset]!;
  if (cell.stored !== step) return;
  cell.isUnderWay = false;
  cell.stored = { ...step, phase: run.phase };
}

/** Says whether an access may come before an earlier one, of which at least one stores. */
function meet(cell: Shadow, earlier: Step, step: Step, { memory, slots }: Shadows): boolean {
  if (earlier.launch !== step.launch) return false;
  if (earlier.group !== step.group) return memory.buffer.memory !== "group";
  if (cell.isUnderWay) return true;
  if (earlier.phase !== step.phase) return false;
  return slots === undefined ? earlier.thread !== step.thread : !areInTurn(earlier, step, slots);
}

function noteRace({ findings }: Run, { memory }: Shadows, element: number, earlier: Step, step: Step): void {
  findings.add({ kind: "race", buffer: memory.buffer.name, at: [element] }, [earlier, step]);
}

/** A result that is made of an element without a value: the run goes on, as what should have been loaded may be stored later. */
function noteUnset({ findings }: Run, { unset }: Thread, stmt: Stmt): void {
  if (!unset) return;
  const { buffer, offset, step } = unset;
  findings.add({ kind: "unset", buffer, at: [offset] }, [step, { ...step, isStore: true, stmt }]);
}

/** How a watched run writes an element; null: the run is not watched. */
export function watchWrite({ watch }: Scope): typeof write | null {
  if (!watch) return null;
  const { run, thread, stmt } = watch;
  return (memory, offset, value) => {
    const isUnset = value === null && memory.buffer.role === "output" && thread.unset !== null;
    if (isUnset) noteUnset(run, thread, stmt);
    write(memory, offset, isUnset ? 0 : value);
  };
}

/** Takes note that an element of a result is wrong. */
export function noteWrong({ shadows, findings }: Run, buffer: string, element: number): void {
  const cell = [...shadows.values()].find(({ memory }) => memory.buffer.name === buffer)?.cells[element];
  const steps = [cell?.made?.from, cell?.made?.step, cell?.stored].filter(
    (step) => step !== null && step !== undefined,
  );
  findings.add({ kind: "wrong", buffer, at: [element] }, steps);
}
