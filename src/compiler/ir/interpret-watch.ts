// Shadow cells of the interpreter: who stored to an element last and who has read it since, for a run that is watched. Two threads
// of a group race where both touch an element between the same two barriers and one of them stores; two groups of a launch
// race wherever one of them stores, for nothing orders them. Both accesses are named, as is one outside of its buffer.
//
// A copy in the background is under way from its store until its thread waits for it: nobody may touch the element before.
// What a warp computes together is done by the warp, and none of its lanes knows which lane has which element.

import { product } from "../support/integer-math.ts";
import { copiedAhead } from "./copied-ahead.ts";
import { type Lane, type Memory, offsetOf } from "./interpret-memory.ts";
import type { Scope } from "./interpret-scope.ts";
import type { LoopFunc, Stmt, Sync } from "./loop-ir.ts";
import { printStmt } from "./print.ts";
import { gridAxes, laneAxis, warpWideLanes } from "./thread-axes.ts";
import { lanesOf } from "./visit.ts";

/** Coordinates of a thread, or of the warp that does something together: that has none along its lanes. */
export type Coordinates = Readonly<Record<string, number>>;

export interface Access {
  readonly kind: "load" | "store";
  /** Text of the statement, of a choice its first line. */
  readonly statement: string;
  readonly thread: Coordinates;
}

export type Finding =
  | { readonly kind: "race"; readonly buffer: string; readonly element: number; readonly accesses: readonly [Access, Access] }
  | {
      readonly kind: "outside";
      readonly buffer: string;
      readonly indices: readonly Lane[];
      readonly shape: readonly number[];
      readonly accesses: readonly [Access];
    };

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
}

interface Shadows {
  readonly memory: Memory;
  readonly cells: Shadow[];
  /** Whether copies in the background fill the buffer. */
  readonly isAhead: boolean;
}

interface Thread {
  /** Number in its group; the negative ones are warps. */
  readonly number: number;
  readonly at: Coordinates;
  /** Copies of no batch yet, and the batches that are under way. */
  readonly copies: { open: (() => void)[]; readonly batches: (() => void)[][] };
}

const newThread = (number: number, at: Coordinates): Thread => ({ number, at, copies: { open: [], batches: [] } });

/** A run that is watched. */
interface Run {
  launch: number;
  group: number;
  phase: number;
  groupAt: Coordinates;
  readonly ahead: ReadonlySet<string>;
  readonly shadows: Map<Memory, Shadows>;
  readonly findings: Finding[];
  /** Pairs of statements that were found. */
  readonly known: Set<string>;
  readonly numbers: Map<Stmt, number>;
}

/** What closures of a watched run know of where they stand. */
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
    shadows: new Map(),
    findings: [],
    known: new Set(),
    numbers: new Map(),
  };
  return { run, thread: newThread(0, {}), warp: newThread(-1, {}), stmt: body, isInLaunch: false };
}

/** The scope in a statement, whose accesses it names. */
export function scopeAt(scope: Scope, stmt: Stmt): Scope {
  const { watch } = scope;
  if (!watch) return scope;
  const isTile =
    (stmt.kind === "store" || stmt.kind === "define" || stmt.kind === "assign") && lanesOf(stmt.value) >= warpWideLanes;
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
    return { ...scope, watch: { ...watch, thread: newThread(number, at(axes)), warp } };
  });
}

/** Marks a loop over groups or threads: the outermost is a launch, and each iteration begins another group. */
export function watchLaunch(scope: Scope): { readonly inside: Scope; readonly around: (run: () => void) => () => void } {
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
  run.groupAt = Object.fromEntries(
    gridAxes.flatMap((name) => (cells.has(name) ? [[name, cells.get(name)!.value as number]] : [])),
  );
}

/** What a barrier, a batch of copies or waiting for one does in a watched run; null: nothing. */
export function watchSync({ what, pending }: Sync, { watch }: Scope): (() => void) | null {
  if (!watch) return null;
  const { run, thread } = watch;
  const { copies } = thread;
  switch (what) {
    case "barrier":
      return () => void run.phase++;
    case "commit":
      return () => {
        copies.batches.push(copies.open);
        copies.open = [];
      };
    case "wait":
      return () => {
        const arrived = copies.batches.splice(0, Math.max(0, copies.batches.length - pending));
        for (const arrive of arrived.flat()) arrive();
      };
    default:
      return null;
  }
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
    if (step?.phase !== phase) step = { isStore, stmt, thread, launch, group, phase, groupAt };
    return step;
  };
  const note = isStore ? noteStore : noteLoad;
  return (point) => {
    if (!isInside(memory, point)) noteOutside(run, memory, point, stepNow());
    const offset = offsetOf(memory, point);
    if (shadows) note(run, shadows, offset, stepNow());
    return offset;
  };
}

/** Shadows of a buffer in which threads may meet; null: it is no such buffer. */
function shadowsOf({ shadows, ahead }: Run, memory: Memory): Shadows | null {
  const { name, role, memory: place } = memory.buffer;
  if (role === "input" || place === "register" || place === "fragment") return null;
  const known = shadows.get(memory);
  if (known) return known;
  const made: Shadows = { memory, cells: new Array(product(memory.buffer.shape)), isAhead: ahead.has(name) };
  shadows.set(memory, made);
  return made;
}

const isInside = ({ buffer }: Memory, point: readonly Lane[]): boolean =>
  point.every((index, dim) => index !== null && index >= 0 && index < buffer.shape[dim]!);

const newShadow = (): Shadow => ({ stored: null, loaded: null, first: null, isUnderWay: false });

function noteLoad(run: Run, shadows: Shadows, offset: number, step: Step): void {
  const cell = (shadows.cells[offset] ??= newShadow());
  const { stored, loaded, first } = cell;
  if (stored && meet(cell, stored, step, shadows)) noteRace(run, shadows, offset, stored, step);
  if (first?.launch !== step.launch) cell.first = step;
  if (!loaded || loaded[0].phase !== step.phase) cell.loaded = [step, null];
  else if (!loaded[1] && loaded[0].thread !== step.thread) cell.loaded = [loaded[0], step];
}

function noteStore(run: Run, shadows: Shadows, offset: number, step: Step): void {
  const cell = (shadows.cells[offset] ??= newShadow());
  for (const earlier of [cell.stored, ...(cell.loaded ?? []), cell.first]) {
    if (!earlier || !meet(cell, earlier, step, shadows)) continue;
    noteRace(run, shadows, offset, earlier, step);
    break;
  }
  shadows.cells[offset] = { ...newShadow(), stored: step, isUnderWay: shadows.isAhead };
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
function meet(cell: Shadow, earlier: Step, step: Step, { memory }: Shadows): boolean {
  if (earlier.launch !== step.launch) return false;
  if (earlier.group !== step.group) return memory.buffer.memory !== "group";
  return cell.isUnderWay || (earlier.phase === step.phase && earlier.thread !== step.thread);
}

const accessOf = ({ isStore, stmt, thread, groupAt }: Step): Access => ({
  kind: isStore ? "store" : "load",
  statement: printStmt(stmt).split("\n", 1)[0]!,
  thread: { ...groupAt, ...thread.at },
});

function noteRace(run: Run, { memory }: Shadows, element: number, earlier: Step, step: Step): void {
  const buffer = memory.buffer.name;
  if (isKnown(run, buffer, [earlier.stmt, step.stmt])) return;
  run.findings.push({ kind: "race", buffer, element, accesses: [accessOf(earlier), accessOf(step)] });
}

function noteOutside(run: Run, { buffer }: Memory, indices: readonly Lane[], step: Step): void {
  const { name, shape } = buffer;
  if (isKnown(run, name, [step.stmt])) return;
  run.findings.push({ kind: "outside", buffer: name, indices, shape, accesses: [accessOf(step)] });
}

function isKnown({ known, numbers }: Run, buffer: string, stmts: readonly Stmt[]): boolean {
  const places = stmts.map((stmt) => {
    const number = numbers.get(stmt) ?? numbers.size;
    numbers.set(stmt, number);
    return number;
  });
  const key = `${buffer} ${places.join(" ")}`;
  if (known.has(key)) return true;
  known.add(key);
  return false;
}
