// The least time that the analytic model predicts for any schedule of a template: branch and bound over its constraints.
//
// The predicted time is the sum of its stages' times, and a stage's estimate reads few of the variables. So variables are settled
// one by one, those that an estimate asks for, with propagation after each. A branch ends where the times of the known stages plus
// the least times of the others reach the bound. No estimate is approximated, so the answer is exact.

import type { Target } from "../../compiler/index.ts";
import { type CompiledModel, compileModel } from "../constraint/solver/compile.ts";
import { keysOf } from "../constraint/solver/complete.ts";
import { type Restrictions, restrict, sample } from "../constraint/solver/sample.ts";
import { loadZ3 } from "../constraint/solver/z3.ts";
import type { Candidate, Template } from "../data/space.ts";
import { predictNs } from "../prior/ranker.ts";
import { areAmounts, knownNs } from "../prior/sound-facts.ts";
import type { Estimate } from "../space/draft/draft.ts";
import { createRng } from "../support/rng.ts";
import { partialView } from "./partial-view.ts";

export interface LeastPredicted {
  /** The best schedule found below the bound; null: none was found. */
  readonly best: { readonly ns: number; readonly schedule: Candidate } | null;
  /** Nanoseconds: every schedule is predicted to take at least this, or at least the bound where there is none below it. */
  readonly atLeastNs: number;
  /** Whether nothing is left open: `best` is the least, or no schedule is below the bound. */
  readonly isComplete: boolean;
}

export interface LeastOptions {
  readonly target: Target;
  /** Bound in nanoseconds: only times below it are looked for. */
  readonly belowNs: number;
  readonly isOver: () => boolean;
}

/** Values of some variables, and the time of all schedules that have them, if any exist. */
interface Undecided {
  readonly restrictions: Restrictions;
  readonly ns: number;
  /** Whether `ns` is their time; false: only a lower bound of it. */
  readonly isExact: boolean;
}

/** Longest time of one question to z3, in milliseconds. */
const mostMs = 2_000;
/** Relative error of a sum of stages' times: branches this near to a bound are still visited. */
const rounding = 1e-9;

export async function leastPredicted(
  template: Template,
  estimates: readonly Estimate[],
  options: LeastOptions,
): Promise<LeastPredicted> {
  const { belowNs } = options;
  const compiled = compileModel(template.model);
  if (!compiled.feasible) return { best: null, atLeastNs: belowNs, isComplete: true };
  const least = estimates.map((_, at) => leastOfStage(compiled, estimates, at, options));
  const floor = least.reduce((sum, ns) => sum + ns, 0);
  if (floor * (1 - rounding) >= belowNs) return { best: null, atLeastNs: belowNs, isComplete: true };
  const search = new Search(compiled, estimates, { ...options, template: template.name, least });
  const isExhausted = search.run();
  const undecided = search.undecided.length > 0 ? await decideByZ3(search, template, options) : [];
  const found = search.best?.ns ?? belowNs;
  const atLeastNs = isExhausted ? Math.min(found, ...undecided) : Math.min(found, floor);
  return { best: search.best, atLeastNs, isComplete: atLeastNs === found };
}

/** Returns a lower bound of one stage's time for all values of the other stages; 0 where time runs out. */
function leastOfStage(
  compiled: CompiledModel,
  estimates: readonly Estimate[],
  at: number,
  options: LeastOptions,
): number {
  // With one stage, its least time would bound no other.
  if (estimates.length < 2) return 0;
  const search = new Search(compiled, [estimates[at]!], {
    ...options,
    template: "",
    belowNs: Number.POSITIVE_INFINITY,
    least: [0],
    isWitnessed: false,
  });
  return search.run() && Number.isFinite(search.leastNs) ? search.leastNs : 0;
}

interface SearchOptions extends LeastOptions {
  /** Name of the template. */
  readonly template: string;
  /** Lower bound of each stage's time, in nanoseconds. */
  readonly least: readonly number[];
  /** Whether a time counts only where a schedule that has it is found; default: true. */
  readonly isWitnessed?: boolean;
}

class Search {
  best: LeastPredicted["best"] = null;
  /** Least time found so far, in nanoseconds; the bound at first. */
  leastNs: number;
  readonly undecided: Undecided[] = [];
  readonly #compiled: CompiledModel;
  readonly #estimates: readonly Estimate[];
  readonly #options: SearchOptions;
  readonly #view: ReturnType<typeof partialView>;
  /** Finds whole schedules: a solver of its own, because drawing moves the state of one. */
  readonly #completer: CompiledModel;
  readonly #settled = new Map<string, number>();
  /** Least time of each stage and all that follow, in nanoseconds. */
  readonly #rest: readonly number[];
  /** Variables that each stage's estimate has asked for while they were open. */
  readonly #asked: readonly string[][];
  #steps = 0;
  #isOver = false;

  constructor(compiled: CompiledModel, estimates: readonly Estimate[], options: SearchOptions) {
    this.#compiled = compiled;
    this.#estimates = estimates;
    this.#options = options;
    this.#view = partialView(compiled);
    this.#asked = estimates.map(() => []);
    this.#completer = options.isWitnessed === false ? compiled : compileModel(compiled.model);
    this.#rest = [...options.least, 0].map((_, at) => options.least.slice(at).reduce((sum, ns) => sum + ns, 0));
    this.leastNs = options.belowNs;
  }

  /** Visits all branches. Returns false if time was over before the end. */
  run(): boolean {
    if (restrict(this.#compiled, {})) this.#visit(0, 0, 0);
    return !this.#isOver;
  }

  /** @param ns predicted time of the stages before `at`, in nanoseconds */
  #visit(depth: number, at: number, ns: number): void {
    if (++this.#steps % 64 === 0 && this.#options.isOver()) this.#isOver = true;
    if (this.#isOver) return;
    const estimate = this.#estimates[at];
    if (!estimate) {
      this.#end(ns);
      return;
    }
    const asked = this.#open(at);
    if (asked !== null) {
      this.#branch(asked, depth, at, ns);
      return;
    }
    const { target } = this.#options;
    const read = this.#view.read((assignment) => {
      const facts = estimate(assignment);
      return areAmounts(facts) ? predictNs(facts, target) : null;
    });
    if ("needs" in read) {
      this.#branch(read.needs, depth, at, ns);
      return;
    }
    // The model predicts no time for schedules whose facts are no amounts.
    if (read.value === null) return;
    const sum = ns + read.value;
    if ((sum + this.#rest[at + 1]!) * (1 - rounding) < this.leastNs) this.#visit(depth, at + 1, sum);
  }

  /**
   * Returns an open variable that the stage's estimate has asked for elsewhere. The estimate nearly always asks for it again,
   * so it is not run to find that out. Where it would not, there is one branch too many, and nothing is left out.
   */
  #open(at: number): string | null {
    const { engine, ids } = this.#compiled;
    return this.#asked[at]!.find((name) => !engine.store.isFixed(ids.get(name)!)) ?? null;
  }

  /** Visits every value that the variable still has. */
  #branch(needed: string, depth: number, at: number, ns: number): void {
    const { engine, ids } = this.#compiled;
    const { store } = engine;
    const name = this.#branchable(needed);
    if (name === null) {
      this.#leaveUndecided(ns + this.#rest[at]!, false);
      return;
    }
    if (!this.#asked[at]!.includes(name)) this.#asked[at]!.push(name);
    const id = ids.get(name)!;
    const frame = store.frameAt(depth);
    store.saveTo(frame);
    for (const index of store.indices(id)) {
      if (store.fixIndex(id, index) && engine.propagate()) {
        this.#settled.set(name, store.min(id));
        this.#visit(depth + 1, at, ns);
      }
      store.restore(frame);
      if (this.#isOver) break;
    }
    this.#settled.delete(name);
  }

  /** Returns the variable itself where it has a list of values, else an open key, from which it follows. */
  #branchable(needed: string): string | null {
    const { engine, ids, model } = this.#compiled;
    if (engine.store.values[ids.get(needed)!]) return needed;
    return model.variables.find(({ key, name }) => key && !engine.store.isFixed(ids.get(name)!))?.name ?? null;
  }

  /** Ends a branch in which all stages are known. */
  #end(ns: number): void {
    if (ns >= this.leastNs) return;
    if (this.#options.isWitnessed === false) {
      this.leastNs = ns;
      return;
    }
    if (knownNs(ns) === null) return;
    const drawn = sample(this.#completer, createRng(1), { restrictions: this.#restrictions() });
    const { template } = this.#options;
    if (drawn.kind === "found") this.found(ns, { template, assignment: keysOf(this.#completer, drawn.assignment) });
    if (drawn.kind === "gave-up") this.#leaveUndecided(ns, true);
  }

  found(ns: number, schedule: Candidate): void {
    this.leastNs = ns;
    this.best = { ns, schedule };
  }

  #restrictions(): Restrictions {
    return Object.fromEntries([...this.#settled].map(([name, value]) => [name, [value]]));
  }

  #leaveUndecided(ns: number, isExact: boolean): void {
    this.undecided.push({ ns, isExact, restrictions: this.#restrictions() });
  }
}

/** Asks z3 for schedules that propagation neither found nor refuted. Returns the times of those that stay undecided. */
async function decideByZ3(
  search: Search,
  { model, name }: Template,
  { isOver }: LeastOptions,
): Promise<readonly number[]> {
  const solver = (await loadZ3()).load(model, mostMs);
  const open = search.undecided.toSorted((left, right) => left.ns - right.ns);
  const undecided: number[] = [];
  for (const { ns, isExact, restrictions } of open) {
    if (ns >= search.leastNs) break;
    const drawn = solver && isExact && !isOver() ? solver.draw(createRng(1), { restrictions }) : null;
    if (drawn?.verdict === "sat") search.found(ns, { template: name, assignment: drawn.keys });
    else if (drawn?.verdict !== "unsat") undecided.push(ns);
  }
  solver?.dispose();
  return undecided;
}
