// The builder that a template is written with: every instruction of a schedule as a method, the sampling primitives, constraints.
// Calls → a draft, with the author's line of each instruction.

import {
  byteSize,
  type ComputeDef,
  type Condition,
  type CpuTarget,
  type DType,
  type Instruction,
  type InstructionCalls,
  instructionCalls,
  type Numerics,
  type Operand,
  type SourceLoc,
  type Target,
  vectorBytesOf,
} from "../../../compiler/index.ts";
import type { Comparison, Constraint, Domain, Membership } from "../../constraint/constraint.ts";
import type { TuningTask } from "../../data/task.ts";
import type { RankingFacts } from "../../prior/ranker.ts";
import {
  choice,
  constrain,
  type Draft,
  derived,
  emptyDraft,
  estimate,
  instructWhen,
  product,
  valuesOf,
} from "../draft/draft.ts";
import { authorLine, mistake } from "./author-mistake.ts";
import { extentAfter, type LoopExtents, loopExtents } from "./loop-extents.ts";
import { requireName } from "./names.ts";
import {
  type Choice,
  type Derived,
  endsOf,
  hasVariable,
  type Quantity,
  quantityText,
  type Sampled,
  termOf,
  termsOf,
} from "./quantity.ts";
import {
  categorical,
  type PartitionedTileOptions,
  partitionedTile,
  perfectTile,
  requireNewDecision,
  type Sampling,
  type TileOf,
  type TileOptions,
} from "./sampling.ts";

/** Templates are for CPUs, unless their type names another kind of target. */
export interface TemplateBuilder<On extends Target = CpuTarget> extends InstructionCalls<Operand> {
  readonly op: ComputeDef;
  readonly target: On;
  readonly numerics: Numerics;
  /** Returns the number of elements in a vector of the target. */
  lanes(dtype: DType): number;
  /** Returns the number of iterations of a loop, as far as it follows from the operator and the splits so far. */
  extentOf(loop: string): Quantity;

  /** Decides factors whose product is the extent of the loop, outermost first: the operands of a perfect split. */
  samplePerfectTile<const Parts extends number>(loop: string, options: TileOptions<Parts>): TileOf<Parts>;
  /** Decides factors as `samplePerfectTile` does; the inner ones together are a multiple of a number. */
  samplePartitionedTile<const Parts extends number>(
    loop: string,
    options: PartitionedTileOptions<Parts>,
  ): TileOf<Parts>;
  /** Decides for one of the numbers. */
  sampleCategorical(name: string, values: readonly number[]): Sampled;
  /** Decides where a block is computed: under one of the loops, where it stands (root), or in its readers (inline). */
  sampleComputeLocation(block: string, options: ComputeLocations): Choice;
  /** Decides for one of several ways. `body` is called for each of them, and what it adds is part of that way only. */
  choose<Option extends string>(
    name: string,
    options: readonly Option[],
    body?: (option: Option) => void,
  ): Choice<Option>;
  /** Adds the instructions of `body` under the condition alone; its limits hold only there, too. */
  when(condition: Condition, body: () => void): void;
  /** Makes the condition that a decision has one of the values. */
  is(decision: Sampled, ...values: readonly number[]): Condition;
  /** Adds instructions given as data. */
  instruct(...instructions: readonly Instruction<Operand>[]): void;

  /** Multiplies a decision by a constant: vectors × lanes. */
  times(decision: Sampled, factor: number): Sampled;
  product(...factors: readonly Quantity[]): Derived;
  sum(...terms: readonly Quantity[]): Derived;
  /** Returns ⌈numerator / divisor⌉: tiles that cover an extent. */
  ceilDiv(numerator: Quantity, divisor: Quantity): Derived;
  /** Adds a limit; `why` is shown where a space is empty. */
  atMost(left: Quantity, right: Quantity, why?: string): void;
  lessThan(left: Quantity, right: Quantity, why?: string): void;
  equal(left: Quantity, right: Quantity, why?: string): void;
  notEqual(left: Quantity, right: Quantity, why?: string): void;
  oneOf(decision: Sampled | Derived, values: readonly number[], why?: string): void;
  /** Adds any other constraint of the model, in terms of its variables' names. */
  constrain(constraint: Constraint): void;
  /** Estimates what a schedule does to the machine, for the analytic prior. */
  estimate(facts: (value: (quantity: Sampled | Derived) => number) => RankingFacts): void;
}

export interface ComputeLocations {
  readonly loops: readonly string[];
  /** Whether the block may stay where it stands; default: true. */
  readonly root?: boolean;
  /** Whether the block may be computed in its readers; default: false. */
  readonly inline?: boolean;
  readonly name?: string;
}

/** The outcome of an author's calls. */
export interface Authored {
  readonly draft: Draft;
  /** Author's line of each instruction. */
  readonly lines: readonly (SourceLoc | null)[];
  /** Names of the ways that a decision chooses between, by value; only of decisions whose ways have names. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
}

/** Runs the body of a template. */
export function author(task: TuningTask, body: (t: TemplateBuilder<Target>) => void): Authored {
  const sketch = new Sketch(task);
  body(builderOn(sketch, task));
  return sketch;
}

/** The draft under construction: the only mutable state of this file. */
class Sketch implements Authored {
  draft: Draft = emptyDraft;
  readonly lines: (SourceLoc | null)[] = [];
  readonly labels = new Map<string, readonly string[]>();
  conditions: readonly Condition[] = [];
  extents: LoopExtents;

  constructor({ op }: TuningTask) {
    this.extents = loopExtents(op);
  }

  instruct(instruction: Instruction<Operand>): void {
    this.draft = instructWhen(this.draft, this.conditions, instruction);
    this.lines.push(authorLine());
    this.extents = extentAfter(this.extents, instruction);
  }

  /** Takes the outcome of a sampling primitive. `idle`: values that its decisions have in ways that do not use them. */
  sampled<T>([draft, result, idle]: Sampling<T>): T {
    this.draft = draft;
    for (const [name, value] of Object.entries(idle)) this.#rest(name, value);
    return result;
  }

  /** Fixes a decision within a way to one value in all others: no two candidates differ in what neither uses. */
  #rest(name: string, value: number): void {
    for (const { tunable, oneOf } of this.conditions) {
      const others = valuesOf(this.draft, tunable).filter((it) => !oneOf.includes(it));
      if (others.length === 0) continue;
      this.draft = constrain(this.draft, {
        kind: "conditional",
        when: [{ tunable, oneOf: others }],
        then: { kind: "one-of", variable: name, values: [value] },
        why: `${name} is decided only where it is used`,
        role: "limit",
      });
    }
  }

  under(condition: Condition, body: () => void): void {
    const before = this.conditions;
    this.conditions = [...before, condition];
    body();
    this.conditions = before;
  }

  /** Adds a relation that holds where the current conditions do. */
  limit(relation: Comparison | Membership, why: string): void {
    const explained = { why, role: "limit" } as const;
    const constraint: Constraint =
      this.conditions.length === 0
        ? { ...relation, ...explained }
        : { kind: "conditional", when: this.conditions, then: relation, ...explained };
    this.draft = constrain(this.draft, constraint);
  }

  extentOf(loop: string): Quantity {
    const extent = this.extents.get(loop);
    if (extent !== undefined) return extent;
    throw mistake(
      "template.unknown-extent",
      `the extent of ${loop} is not known`,
      `known are ${[...this.extents.keys()].join(", ")}`,
    );
  }
}

function builderOn(sketch: Sketch, { op, target, numerics }: TuningTask): TemplateBuilder<Target> {
  const instruct = (instruction: Instruction<Operand>): void => sketch.instruct(instruction);
  return {
    ...instructionCalls<Operand>(instruct),
    op,
    target,
    numerics,
    lanes: (dtype) => Math.max(1, vectorBytesOf(target) / byteSize[dtype]),
    extentOf: (loop) => sketch.extentOf(loop),
    instruct: (...instructions) => instructions.forEach(instruct),
    when: (condition, body) => sketch.under(condition, body),
    is: ({ tunable }, ...values) => ({ tunable, oneOf: values }),
    ...samplingOn(sketch),
    ...constraintsOn(sketch),
  };
}

type SamplingMethods = Pick<
  TemplateBuilder,
  "samplePerfectTile" | "samplePartitionedTile" | "sampleCategorical" | "sampleComputeLocation" | "choose"
>;

function samplingOn(sketch: Sketch): SamplingMethods {
  const choose: TemplateBuilder["choose"] = (name, options, body = () => undefined) => {
    const chosen = chooseOn(sketch, name, options);
    for (const option of options) sketch.under(chosen.is(option), () => body(option));
    return chosen;
  };
  return {
    choose,
    samplePerfectTile: (loop, options) =>
      sketch.sampled(perfectTile(sketch.draft, loop, sketch.extentOf(loop), options)),
    samplePartitionedTile: (loop, options) =>
      sketch.sampled(partitionedTile(sketch.draft, loop, sketch.extentOf(loop), options)),
    sampleCategorical: (name, values) => sketch.sampled(categorical(sketch.draft, name, values)),
    sampleComputeLocation: (block, { loops, root = true, inline = false, name = `${block}.location` }) => {
      const options = [...(root ? ["root"] : []), ...(inline ? ["inline"] : []), ...loops];
      return choose(name, options, (place) => {
        if (place === "inline") sketch.instruct({ kind: "inline", block });
        else if (place !== "root") sketch.instruct({ kind: "compute-at", block, loop: place });
      });
    },
  };
}

function chooseOn<Option extends string>(sketch: Sketch, name: string, options: readonly Option[]): Choice<Option> {
  requireNewDecision(sketch.draft, name);
  for (const option of options) requireName(option);
  if (options.length === 0 || new Set(options).size !== options.length)
    throw mistake("template.bad-values", `${name} has the ways [${options.join(", ")}], different ones are wanted`);
  sketch.sampled([choice(sketch.draft, name, options.length), null, { [name]: 0 }]);
  sketch.labels.set(name, options);
  return {
    tunable: name,
    options,
    is: (...wanted) => ({ tunable: name, oneOf: wanted.map((option) => options.indexOf(option)) }),
  };
}

type ConstraintMethods = Pick<
  TemplateBuilder,
  | "times"
  | "product"
  | "sum"
  | "ceilDiv"
  | "atMost"
  | "lessThan"
  | "equal"
  | "notEqual"
  | "oneOf"
  | "constrain"
  | "estimate"
>;

function constraintsOn(sketch: Sketch): ConstraintMethods {
  const compare =
    (kind: "at-most" | "less-than" | "equal" | "not-equal", sign: string) =>
    (left: Quantity, right: Quantity, why = `${quantityText(left)} ${sign} ${quantityText(right)}`): void => {
      const [draft, [a, b]] = termsOf(sketch.draft, [left, right]);
      sketch.draft = draft;
      sketch.limit({ kind, left: a!, right: b! }, why);
    };
  return {
    times: ({ tunable, times = 1 }, factor) => ({ tunable, times: times * factor }),
    product: (...factors) => productOf(sketch, factors),
    sum: (...terms) => sumOf(sketch, terms),
    ceilDiv: (numerator, divisor) => quotientOf(sketch, numerator, divisor),
    atMost: compare("at-most", "≤"),
    lessThan: compare("less-than", "<"),
    equal: compare("equal", "="),
    notEqual: compare("not-equal", "≠"),
    oneOf: (decision, values, why = `${quantityText(decision)} is one of ${values.join(", ")}`) => {
      const [draft, variable] = termOf(sketch.draft, decision);
      sketch.draft = draft;
      sketch.limit({ kind: "one-of", variable: String(variable), values }, why);
    },
    constrain: (constraint) => {
      sketch.draft = constrain(sketch.draft, constraint);
    },
    estimate: (facts) => {
      sketch.draft = estimate(sketch.draft, (assignment) =>
        facts((quantity) =>
          "variable" in quantity
            ? assignment[quantity.variable]!
            : assignment[quantity.tunable]! * (quantity.times ?? 1),
        ),
      );
    },
  };
}

/**
 * Returns the variable of a derived quantity, defining it at its first use: the same quantity twice is the same variable.
 */
function derive(sketch: Sketch, name: string, define: () => Draft): Derived {
  if (!hasVariable(sketch.draft, name)) sketch.draft = define();
  return { variable: name };
}

function productOf(sketch: Sketch, factors: readonly Quantity[]): Derived {
  const name = factors.map(quantityText).join(" × ");
  return derive(sketch, name, () => {
    const [draft, terms] = termsOf(sketch.draft, factors);
    return product(draft, name, terms, name);
  });
}

function sumOf(sketch: Sketch, quantities: readonly Quantity[]): Derived {
  const name = quantities.map(quantityText).join(" + ");
  return derive(sketch, name, () => {
    const [draft, terms] = termsOf(sketch.draft, quantities);
    const ends = terms.map((term) => endsOf(draft, term));
    const domain: Domain = {
      from: ends.reduce((total, { from }) => total + from, 0),
      to: ends.reduce((total, { to }) => total + to, 0),
    };
    const summed = terms.map((term) => ({ coefficient: 1, term }));
    return constrain(derived(draft, name, domain), {
      kind: "sum",
      result: name,
      terms: summed,
      offset: 0,
      why: name,
      role: "definition",
    });
  });
}

function quotientOf(sketch: Sketch, numerator: Quantity, divisor: Quantity): Derived {
  const name = `⌈${quantityText(numerator)} / ${quantityText(divisor)}⌉`;
  return derive(sketch, name, () => {
    const [draft, [above, below]] = termsOf(sketch.draft, [numerator, divisor]);
    const [most, least] = [endsOf(draft, above!), endsOf(draft, below!)];
    const domain: Domain = { from: Math.floor(most.from / least.to), to: Math.ceil(most.to / Math.max(1, least.from)) };
    const constraint = { kind: "ceil-div", result: name, numerator: above!, divisor: below!, why: name } as const;
    return constrain(derived(draft, name, domain), { ...constraint, role: "definition" });
  });
}
