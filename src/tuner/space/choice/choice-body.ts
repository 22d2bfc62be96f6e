// Work of an element-wise stage's body once the small axes that its value is chosen by are unrolled: the stage and
// these axes → arithmetic and loads of all alternatives together, each expression that they share counted once, as
// compilers compute it.
//
//   a in 0..2: select(a == 0, X[i] + Y[i], X[i] - Y[i])   →   2 results: 2 operations, 2 loads

import { type Expr, InvariantError, isFloat } from "../../../compiler/index.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { MapBody } from "../estimate/map-estimate.ts";

/** An axis that choices are made by: its value, or its remainder by `modulus`. */
export interface ChoiceAxis {
  readonly name: string;
  readonly modulus: number | null;
}

/** An expression by number; its value where that is known when the code is made. */
interface Shared {
  readonly id: string;
  readonly value: number | null;
}

export function choiceBody({ block, spatial }: SchedulableStage, choices: readonly ChoiceAxis[]): MapBody {
  const counts = choices.map(({ name, modulus }) => modulus ?? spatial.find((axis) => axis.name === name)!.extent);
  const shared = new SharedExpressions();
  const alternatives = counts.reduce((product, count) => product * count, 1);
  for (let number = 0; number < alternatives; number++) {
    let rest = number;
    const at = choices.map((choice, index): Chosen => {
      const value = rest % counts[index]!;
      rest = Math.floor(rest / counts[index]!);
      return { ...choice, value };
    });
    shared.add(block.value, new Map(at.map((it) => [it.name, it])));
  }
  const { additions, products, others, loads } = shared;
  const multiplyAdds = Math.min(additions, products);
  return { results: alternatives, operations: Math.max(1, additions + products + others), multiplyAdds, loads };
}

interface Chosen extends ChoiceAxis {
  readonly value: number;
}

type Choices = ReadonlyMap<string, Chosen>;

class SharedExpressions {
  additions = 0;
  products = 0;
  /** Other arithmetic. */
  others = 0;
  readonly loads = new Map<string, number>();
  readonly #ids = new Map<string, string>();

  add(expr: Expr, choices: Choices): Shared {
    switch (expr.kind) {
      case "const":
        return { id: `${expr.value}`, value: expr.value };
      case "var":
        return chosenVar(expr.name, choices.get(expr.name));
      case "select": {
        const condition = this.add(expr.condition, choices);
        if (condition.value !== null) return this.add(condition.value ? expr.then : expr.else, choices);
        return this.#shared(expr, "select", [condition, ...this.#all([expr.then, expr.else], choices)]);
      }
      case "binary":
        return chosenPart(expr, choices) ?? this.#binary(expr, choices);
      case "load":
        return this.#shared(expr, expr.buffer, this.#all(expr.indices, choices));
      case "unary":
        return this.#shared(expr, expr.op, [this.add(expr.operand, choices)]);
      case "cast":
      case "bitcast":
        return this.#shared(expr, `${expr.kind} ${expr.dtype}`, [this.add(expr.operand, choices)]);
      case "local":
      case "shuffle":
      case "ramp":
      case "broadcast":
      case "lanes":
      case "interleave":
      case "pick":
      case "fold":
      case "intrinsic":
        throw new InvariantError(`no operator has a ${expr.kind}`);
    }
  }

  #all(exprs: readonly Expr[], choices: Choices): readonly Shared[] {
    return exprs.map((expr) => this.add(expr, choices));
  }

  #binary(expr: Extract<Expr, { kind: "binary" }>, choices: Choices): Shared {
    const operands = this.#all([expr.left, expr.right], choices);
    const [left, right] = operands.map(({ value }) => value);
    if (expr.op === "eq" && left != null && right != null) return { id: "", value: left === right ? 1 : 0 };
    return this.#shared(expr, expr.op, operands);
  }

  /** Counts an expression that is new. */
  #shared(expr: Expr, name: string, operands: readonly Shared[]): Shared {
    const key = `${name}(${operands.map(({ id }) => id).join(",")})`;
    const known = this.#ids.get(key);
    if (known !== undefined) return { id: known, value: null };
    const id = `#${this.#ids.size}`;
    this.#ids.set(key, id);
    if (expr.kind === "load") this.loads.set(expr.buffer, (this.loads.get(expr.buffer) ?? 0) + 1);
    else if (expr.dtype !== "i64" && isFloat(expr.dtype)) this.#count(expr);
    return { id, value: null };
  }

  #count(expr: Expr): void {
    if (expr.kind === "cast" || expr.kind === "bitcast") return;
    if (expr.kind === "binary" && (expr.op === "add" || expr.op === "sub")) this.additions += 1;
    else if (expr.kind === "binary" && expr.op === "mul") this.products += 1;
    else this.others += 1;
  }
}

function chosenVar(name: string, choice: Chosen | undefined): Shared {
  if (!choice) return { id: name, value: null };
  return choice.modulus === null
    ? { id: `${choice.value}`, value: choice.value }
    : { id: `${name}:${choice.value}`, value: null };
}

/** Value of an index in one alternative: axis mod m is the choice, ⌊axis / m⌋ is the same for all alternatives. Null: it is neither. */
function chosenPart({ op, left, right }: Extract<Expr, { kind: "binary" }>, choices: Choices): Shared | null {
  if (left.kind !== "var" || right.kind !== "const") return null;
  const choice = choices.get(left.name);
  if (!choice?.modulus || choice.modulus !== right.value) return null;
  if (op === "mod") return { id: `${choice.value}`, value: choice.value };
  return op === "floorDiv" ? { id: `${left.name}/`, value: null } : null;
}
