// z3 as the second opinion on a constraint model: decides what the propagation sampler gives up on, proves a space
// empty, names an unsatisfiable core, and can stand in as sampler. Loaded when first asked for: 35 MB of WASM, 0.2 s.
// Called synchronously through the module's own entry points, which are faster than the promised ones.

import type { Z3Core } from "z3-solver";
import { type Assignment, invariant } from "../../../compiler/index.ts";
import type { Rng } from "../../support/rng.ts";
import type { Constraint, ConstraintModel } from "../constraint.ts";
import { isRange } from "../normal-form.ts";
import type { CompiledModel } from "./compile.ts";
import { complete } from "./complete.ts";
import { type SampleOptions, type SampleResult, sample } from "./sample.ts";
import { type Encoding, encodeModel, literal } from "./z3-encode.ts";

/** Entry points of the WASM module that the package leaves untyped. */
interface Z3Module {
  readonly _malloc: (bytes: number) => number;
  readonly _free: (address: number) => void;
  readonly HEAPU32: Uint32Array;
  readonly _Z3_solver_check_assumptions: (
    context: number,
    solver: number,
    count: number,
    assumptions: number,
  ) => number;
}

type Context = ReturnType<Z3Core["mk_context"]>;
type Solver = ReturnType<Z3Core["mk_solver_for_logic"]>;
type Ast = ReturnType<Z3Core["mk_const"]>;

export type Satisfiability = "sat" | "unsat" | "unknown";

export interface Z3 {
  /**
   * Makes a solver with the model loaded; null where the model has no encoding. `mostMs`: most time of one check, null: no
   * limit.
   */
  readonly load: (model: ConstraintModel, mostMs?: number | null) => Z3Solver | null;
  /**
   * Returns constraints that contradict each other; definitions of variables with ranges may be missing among them. Null: the
   * model has solutions, no encoding, or no answer in time.
   */
  readonly core: (model: ConstraintModel) => Constraint[] | null;
}

/** Deterministic effort of one check: about a second on schedule spaces, and no limit at all on a pigeonhole problem. */
const resourceLimit = 50_000_000;

let loading: Promise<Z3> | null = null;
let loaded: Z3 | null = null;

/** Returns the one z3 of this process, loading it at the first call. */
export function loadZ3(): Promise<Z3> {
  loading ??= initialize();
  return loading;
}

/** Returns z3 without waiting; null if it has not been loaded before. */
export const loadedZ3 = (): Z3 | null => loaded;

async function initialize(): Promise<Z3> {
  const { init } = await import("z3-solver");
  const { Z3: api, em } = await init();
  const load = (encoding: Encoding, mostMs: number | null = null): Z3Solver =>
    new Z3Solver(api, em as Z3Module, encoding, mostMs);
  loaded = {
    load: (model, mostMs) => {
      const encoding = encodeModel(model, false);
      return encoding && load(encoding, mostMs);
    },
    core: (model) => {
      const encoding = encodeModel(model, true);
      if (!encoding) return null;
      const solver = load(encoding);
      const core = solver.check(encoding.guards) === "unsat" ? solver.core() : null;
      solver.dispose();
      return core && model.constraints.filter((_, k) => core.has(encoding.guards[k]!));
    },
  };
  return loaded;
}

/** One model in a context of its own. */
export class Z3Solver {
  readonly #api: Z3Core;
  readonly #module: Z3Module;
  readonly #encoding: Encoding;
  readonly #mostMs: number | null;
  readonly #context: Context;
  readonly #solver: Solver;
  readonly #asts = new Map<string, Ast>();

  constructor(api: Z3Core, module: Z3Module, encoding: Encoding, mostMs: number | null) {
    this.#api = api;
    this.#module = module;
    this.#encoding = encoding;
    this.#mostMs = mostMs;
    const config = api.mk_config();
    this.#context = api.mk_context(config);
    api.del_config(config);
    this.#solver = api.mk_solver_for_logic(this.#context, api.mk_string_symbol(this.#context, "QF_FD"));
    api.solver_inc_ref(this.#context, this.#solver);
    api.solver_from_string(this.#context, this.#solver, encoding.text);
    invariant(api.get_error_code(this.#context) === 0, "z3 reads our encoding");
    this.#setParameters(0);
  }

  dispose(): void {
    this.#api.solver_dec_ref(this.#context, this.#solver);
    this.#api.del_context(this.#context);
  }

  /** `random_seed` alone changes nothing; with random phases each seed gives another solution. */
  #setParameters(seed: number): void {
    const api = this.#api;
    const context = this.#context;
    const symbol = (name: string) => api.mk_string_symbol(context, name);
    const parameters = api.mk_params(context);
    api.params_inc_ref(context, parameters);
    api.params_set_symbol(context, parameters, symbol("phase"), symbol("random"));
    api.params_set_uint(context, parameters, symbol("random_seed"), seed);
    api.params_set_uint(context, parameters, symbol("rlimit"), resourceLimit);
    if (this.#mostMs !== null) api.params_set_uint(context, parameters, symbol("timeout"), this.#mostMs);
    api.solver_set_params(context, this.#solver, parameters);
    api.params_dec_ref(context, parameters);
    invariant(api.get_error_code(context) === 0, "z3 knows our parameters");
  }

  #ast(name: string): Ast {
    const known = this.#asts.get(name);
    if (known !== undefined) return known;
    const [api, context] = [this.#api, this.#context];
    const ast = api.mk_const(context, api.mk_string_symbol(context, name), api.mk_bool_sort(context));
    this.#asts.set(name, ast);
    return ast;
  }

  #negation(name: string): Ast {
    const key = `!${name}`;
    const ast = this.#asts.get(key) ?? this.#api.mk_not(this.#context, this.#ast(name));
    this.#asts.set(key, ast);
    return ast;
  }

  /** Checks under assumptions: names of Booleans, those that start with ! negated. */
  check(assumptions: readonly string[]): Satisfiability {
    const asts = assumptions.map((name) => (name.startsWith("!") ? this.#negation(name.slice(1)) : this.#ast(name)));
    const address = this.#module._malloc(4 * Math.max(1, asts.length));
    this.#module.HEAPU32.set(asts.map(Number), address / 4);
    const { _Z3_solver_check_assumptions: checkAssumptions } = this.#module;
    const answer = checkAssumptions(Number(this.#context), Number(this.#solver), asts.length, address);
    this.#module._free(address);
    return answer === 1 ? "sat" : answer === -1 ? "unsat" : "unknown";
  }

  /** Returns the assumptions that the last check refuted. */
  core(): Set<string> {
    const [api, context] = [this.#api, this.#context];
    const vector = api.solver_get_unsat_core(context, this.#solver);
    api.ast_vector_inc_ref(context, vector);
    const names = new Map([...this.#asts].map(([name, ast]) => [Number(ast), name]));
    const members = Array.from({ length: api.ast_vector_size(context, vector) }, (_, k) =>
      api.ast_vector_get(context, vector, k),
    );
    const core = new Set(members.map((ast) => names.get(Number(ast))!));
    api.ast_vector_dec_ref(context, vector);
    return core;
  }

  /** Returns Booleans that forbid every value but those allowed. */
  restrict(restrictions: NonNullable<SampleOptions["restrictions"]>): string[] {
    const { normal, domains } = this.#encoding;
    return Object.entries(restrictions).flatMap(([name, values]) => {
      const id = normal.variables.findIndex((variable) => variable.name === name);
      const domain = domains[id];
      invariant(domain && !isRange(domain), `${name} is no listed variable of the model`);
      return domain.flatMap((value, k) => (values.includes(value) ? [] : [`!${literal(id, k)}`]));
    });
  }

  /** Wishes for one value of about a third of the keys, as literals, which spreads the solutions. */
  #wishes(rng: Rng): string[] {
    const { normal, domains } = this.#encoding;
    return normal.variables.flatMap(({ key }, id) => {
      const { length } = domains[id] as readonly number[];
      return key && length > 0 && rng.unit() < 0.3 ? [literal(id, rng.below(length))] : [];
    });
  }

  /** Draws values of the key variables of a random solution. */
  draw(rng: Rng, options: SampleOptions): { readonly verdict: Satisfiability; readonly keys: Assignment } {
    const fixed = this.restrict(options.restrictions ?? {});
    let wishes = this.#wishes(rng);
    this.#setParameters(rng.next());
    for (;;) {
      const verdict = this.check([...fixed, ...wishes]);
      if (verdict === "sat") return { verdict, keys: this.#readKeys() };
      if (wishes.length === 0) return { verdict, keys: {} };
      const blamed = verdict === "unsat" ? wishes.filter((wish) => this.core().has(wish)) : wishes;
      const dropped = blamed.length > 0 ? rng.pick(blamed) : null;
      wishes = dropped === null ? [] : wishes.filter((wish) => wish !== dropped);
    }
  }

  #readKeys(): Assignment {
    const [api, context] = [this.#api, this.#context];
    const model = api.solver_get_model(context, this.#solver);
    api.model_inc_ref(context, model);
    const isTrue = (name: string): boolean => {
      const declaration = api.get_app_decl(context, api.to_app(context, this.#ast(name)));
      const value = api.model_get_const_interp(context, model, declaration);
      return Boolean(value) && api.get_bool_value(context, value) === 1;
    };
    const { normal, domains } = this.#encoding;
    const keys: Record<string, number> = {};
    normal.variables.forEach(({ key, name }, id) => {
      const domain = domains[id] as readonly number[];
      if (key) keys[name!] = domain[domain.findIndex((_, k) => isTrue(literal(id, k)))]!;
    });
    api.model_dec_ref(context, model);
    return keys;
  }
}

/** Makes a sampler of z3, in the place of propagation; `loadZ3` first. It gives up on models without an encoding. */
export function z3Sampler(z3: Z3): (compiled: CompiledModel, rng: Rng, options?: SampleOptions) => SampleResult {
  const solvers = new WeakMap<CompiledModel, { readonly solver: Z3Solver | null }>();
  return (compiled, rng, options = {}) => {
    const known = solvers.get(compiled) ?? { solver: z3.load(compiled.model) };
    solvers.set(compiled, known);
    if (!known.solver) return { kind: "gave-up" };
    const { verdict, keys } = known.solver.draw(rng, options);
    if (verdict !== "sat") return { kind: verdict === "unsat" ? "infeasible" : "gave-up" };
    const assignment = complete(compiled, keys);
    invariant(assignment, "propagation accepts z3's solution");
    return { kind: "found", assignment };
  };
}

/** Makes the propagation sampler, with z3 where it gives up. */
export function provenSampler(z3: Z3): (compiled: CompiledModel, rng: Rng, options?: SampleOptions) => SampleResult {
  const second = z3Sampler(z3);
  return (compiled, rng, options = {}) => {
    const first = sample(compiled, rng, options);
    return first.kind === "gave-up" ? second(compiled, rng, options) : first;
  };
}
