// Operator + overrides → ComputeDef: runs the operator's function and checks what it built.

import { locate } from "../support/call-site.ts";
import { type Builder, fail, withBuilder } from "./builder.ts";
import { checkBounds } from "./check-bounds.ts";
import type { ComputeDef, Parameters, Stage } from "./compute-def.ts";
import { requireIdentifier } from "./declaration-check.ts";
import { describe, requireDType } from "./expr-handle.ts";
import { readsIn } from "./expr-visit.ts";
import { type Op, type OpSpec, specOf } from "./op.ts";
import { isTensor } from "./tensor.ts";
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
    const parameters = resolve(spec, overrides);
    const result = runUserCode(builder.mapper, builder.origin, () => spec.build(parameters));
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
  return { mapper, origin: locate(frames, mapper), inputs: [], stages: [], axes: new Map(), open: null };
}

/** Defaults and overrides, sorted by name so that the order of writing does not matter. */
function resolve({ defaults }: OpSpec, overrides: Partial<Parameters>): Parameters {
  const known = Object.keys(defaults);
  for (const name of Object.keys(overrides)) if (!known.includes(name)) unknownParameter(name, known);
  const names = known.toSorted();
  return Object.fromEntries(names.map((name) => [name, parameter(name, defaults[name]!, overrides[name])]));
}

function unknownParameter(name: string, known: readonly string[]): never {
  const hint = known.length > 0 ? `the parameters are ${known.join(", ")}` : "this operator has no parameters";
  return fail("expr.unknown-parameter", `there is no parameter ${name}`, { hint });
}

function parameter(name: string, byDefault: unknown, override: unknown): number | string {
  const value = override ?? byDefault;
  if (typeof value !== typeof byDefault) {
    const wanted = typeof byDefault === "number" ? "a number" : "a dtype";
    const hint = `it must be ${wanted}, as its default ${byDefault}`;
    fail("expr.bad-parameter", `parameter ${name} is ${describe(value)}`, { hint });
  }
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "string") {
    fail("expr.bad-parameter", `parameter ${name} is ${describe(value)}`, {
      hint: "parameters are numbers and dtypes",
    });
  }
  requireDType(value);
  return value;
}

function outputsOf(builder: Builder, result: unknown): readonly string[] {
  if (isTensor(result)) return [outputOf(builder, result.tensorName, result)];
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    fail("expr.bad-result", `the operator returns ${describe(result)}`, {
      hint: "return what compute gives, or an object of several: { mean, variance }",
    });
  }
  const entries = Object.entries(result);
  if (entries.length < 2) {
    const hint = "return the tensor itself";
    fail("expr.bad-result", `the operator returns an object of ${entries.length} tensors`, { hint });
  }
  return entries.map(([key, tensor]) => outputOf(builder, key, tensor));
}

function outputOf({ stages, inputs }: Builder, key: string, tensor: unknown): string {
  if (!isTensor(tensor)) {
    fail("expr.bad-result", `the result ${key} is ${describe(tensor)}`, { hint: "return what compute gives" });
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
