// Operator + overrides → ComputeDef: runs the operator's function and checks what it built.

import { type Builder, fail, withBuilder } from "../expr/builder.ts";
import type { ComputeDef, Parameters, Stage } from "../expr/compute-def.ts";
import { count, requireIdentifier } from "../expr/declaration-check.ts";
import { given, inWords, isWhat } from "../expr/describe.ts";
import { readsIn } from "../expr/expr-visit.ts";
import { type Op, type OpSpec, specOf } from "../expr/op.ts";
import { isTensor } from "../expr/tensor.ts";
import { locate } from "../support/call-site.ts";
import { checkBounds } from "./check-bounds.ts";
import { observed, resolveParameters } from "./resolve-parameters.ts";
import { runUserCode } from "./user-error.ts";

/**
 * Makes one instance of an operator.
 *
 * @param overrides values for some of the operator's parameters
 * @param name of the instance, an identifier; a build takes the base name of the file
 * @throws DiagnosticError for a mistake of the user's, at the user's line
 * @example instantiate(gemm, { M: 61, N: 83, K: 97 }, "gemm")
 */
export function instantiate(op: Op, overrides: Partial<Parameters>, name: string): ComputeDef {
  const spec = specOf(op);
  const builder = newBuilder(spec);
  return withBuilder(builder, () => {
    requireIdentifier(name, "the name of an operator");
    const parameters = resolveParameters(spec.defaults, overrides);
    const result = runUserCode(builder.mapper, builder.origin, () =>
      spec.build(observed(parameters, builder.unknownParameters)),
    );
    const def: ComputeDef = {
      name,
      parameters,
      inputs: builder.inputs,
      stages: builder.stages,
      outputs: outputsOf(builder, result),
      ...constantsOf(spec, builder),
    };
    checkBounds(def);
    requireUsed(def);
    return def;
  });
}

function newBuilder({ frames, mapper }: OpSpec): Builder {
  return {
    mapper,
    origin: locate(frames, mapper),
    inputs: [],
    stages: [],
    axes: new Map(),
    unknownParameters: new Set(),
    open: null,
  };
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(inWords in value || value instanceof Promise);

function outputsOf(builder: Builder, result: unknown): readonly string[] {
  if (isTensor(result)) return [outputOf(builder, result.tensorName, result)];
  if (!isPlainObject(result)) {
    const isAsync = result instanceof Promise;
    fail("expr.bad-result", `the operator returns ${given(result)}`, {
      hint: isAsync
        ? "the function of an operator is not async: it writes down what is computed, at once"
        : "return what compute gives, or an object of several: { mean, variance }",
    });
  }
  const entries = Object.entries(result);
  if (entries.length < 2) {
    const hint = entries.length === 0 ? "return what compute gives" : "return the tensor itself";
    fail("expr.bad-result", `the operator returns an object of ${count(entries.length, "tensor", "tensors")}`, {
      hint,
    });
  }
  return entries.map(([key, tensor]) => outputOf(builder, key, tensor));
}

function outputOf({ stages, inputs }: Builder, key: string, tensor: unknown): string {
  if (!isTensor(tensor)) {
    fail("expr.bad-result", `the result ${key} ${isWhat(tensor)}`, { hint: "return what compute gives" });
  }
  const name = tensor.tensorName;
  if (inputs.some((input) => input.name === name)) {
    const hint = `copy it: compute("out", [${tensor.shape.join(", ")}], (…) => ${name}(…))`;
    fail("expr.bad-result", `the operator returns its input ${name}`, { hint });
  }
  if (!stages.some((stage) => stage.name === name)) {
    const hint = "return a compute of this operator";
    fail("expr.unknown-tensor", `${name} is a tensor of another operator`, { hint });
  }
  if (key !== name) {
    fail("expr.bad-result", `the compute ${name} is returned as ${key}`, { hint: "give both the same name" });
  }
  return name;
}

function constantsOf({ constants, mapper }: OpSpec, { inputs }: Builder): Pick<ComputeDef, "constants"> {
  if (!constants) return {};
  const known = inputs.map(({ name }) => name);
  const unknown = constants.names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const loc = locate(constants.frames, mapper);
    const hint = `its inputs are ${known.join(", ")}`;
    fail("expr.unknown-constant", `${unknown} is no input of the operator`, { hint, loc });
  }
  const names = [...new Set(constants.names)].sort();
  return names.length > 0 ? { constants: names } : {};
}

/** Refuses a tensor that nothing reads: that is a mistake, most often a wrong letter. */
function requireUsed({ inputs, stages, outputs }: ComputeDef): void {
  const used = new Set([...outputs, ...stages.flatMap(readsOf)]);
  const unused = [...inputs, ...stages].find(({ name }) => !used.has(name));
  if (!unused) return;
  const what = "body" in unused ? "compute" : "tensor";
  const hint = what === "compute" ? "read it, return it or remove it" : "read it or remove it";
  fail("expr.unused-tensor", `the ${what} ${unused.name} is never used`, { hint, loc: unused.loc });
}

const readsOf = (stage: Stage): readonly string[] => readsIn(stage.body).map(({ tensor }) => tensor);
