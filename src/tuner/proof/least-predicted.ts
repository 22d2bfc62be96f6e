// The least time that the analytic model predicts for any schedule of a template: branch and bound over its constraints.
//
// The predicted time is the sum of its stages' times, and a stage's estimate reads few of the variables. So variables are settled
// one by one, those that an estimate asks for, with propagation after each. A branch ends where the stages that are known and the
// least times of those that are not reach the bound. No estimate is approximated, so the answer is exact.

import type { Target } from "../../compiler/index.ts";
import { type CompiledModel, compileModel } from "../constraint/compile.ts";
import { keysOf } from "../constraint/complete.ts";
import { type Restrictions, restrict, sample } from "../constraint/sample.ts";
import { loadZ3 } from "../constraint/z3.ts";
import { predictNs } from "../cost-model/ranker.ts";
import { areAmounts, knownNs } from "../cost-model/sound-facts.ts";
import { createRng } from "../rng.ts";
import type { Estimate } from "../space/draft.ts";
import type { Candidate, Template } from "../space/space.ts";
import { partialView } from "./partial-view.ts";

export interface LeastPredicted {
  /** A schedule below the bound, the best that was found; null: none was found. */
  readonly best: { readonly ns: number; readonly schedule: Candidate } | null;
  /** No schedule below the bound is predicted to take less. Equal to the bound where there is none. */
  readonly atLeastNs: number;
  /** True: nothing is left open, `best` is the least or there is none. */
  readonly isComplete: boolean;
}

export interface LeastOptions {
  readonly target: Target;
  /** Only times below this are looked for. */
  readonly belowNs: number;
  readonly isOver: () => boolean;
}

/** Values of some variables, and the time of all schedules that have them; none of those is known to exist. */
interface Undecided {
  readonly restrictions: Restrictions;
  readonly ns: number;
  /** False: their times are only known to be no less. */
  readonly isExact: boolean;
}

/** Of one question to z3. */
const mostMs = 2_000;
/** Sums of stages are rounded: what is this near to a bound is looked at. */
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

/** The least time of one stage, whatever the others take. A lower bound: where time runs out, 0. */
function leastOfStage(
  compiled: CompiledModel,
  estimates: readonly Estimate[],
  at: number,
  options: LeastOptions,
): number {
  // With one stage there is nothing that this would tell of the others.
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
  /** Its name. */
  readonly template: string;
  /** Of each stage, no more than the least time that it can take. */
  readonly least: readonly number[];
  /** Whether a time counts only where a schedule that has it is found; true unless said. */
  readonly isWitnessed?: boolean;
}

class Search {
  best: LeastPredicted["best"] = null;
  /** Of what was found: the bound at first. */
  leastNs: number;
  readonly undecided: Undecided[] = [];
  readonly #compiled: CompiledModel;
  readonly #estimates: readonly Estimate[];
  readonly #options: SearchOptions;
  readonly #view: ReturnType<typeof partialView>;
  /** Finds whole schedules: a solver of its own, because drawing moves the state of one. */
  readonly #completer: CompiledModel;
  readonly #settled = new Map<string, number>();
  /** Of each stage, the least time of it and all that follow. */
  readonly #rest: readonly number[];
  /** Of each stage, the variables that its estimate has asked for while they were open. */
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

  /** False: the time was over before the end. */
  run(): boolean {
    if (restrict(this.#compiled, {})) this.#visit(0, 0, 0);
    return !this.#isOver;
  }

  /** @param ns of the stages before `at` */
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
    // Of schedules whose facts are none the model predicts nothing.
    if (read.value === null) return;
    const sum = ns + read.value;
    if ((sum + this.#rest[at + 1]!) * (1 - rounding) < this.leastNs) this.#visit(depth, at + 1, sum);
  }

  /**
   * A variable that the stage's estimate has asked for elsewhere, and that is open here. It will ask again, nearly always, so it
   * is not run to find that out. Where it would not have asked, a branch too many is made, and nothing is left out.
   */
  #open(at: number): string | null {
    const { engine, ids } = this.#compiled;
    return this.#asked[at]!.find((name) => !engine.store.isFixed(ids.get(name)!)) ?? null;
  }

  /** Every value that the variable still has, one after the other. */
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

  /** The variable itself where it has a list of values, else a key that is open: it follows from those. */
  #branchable(needed: string): string | null {
    const { engine, ids, model } = this.#compiled;
    if (engine.store.values[ids.get(needed)!]) return needed;
    return model.variables.find(({ key, name }) => key && !engine.store.isFixed(ids.get(name)!))?.name ?? null;
  }

  /** All stages are known. */
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
