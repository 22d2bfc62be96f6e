// The parameters of one instance: defaults of the operator + overrides → values, checked.

import { fail } from "../expr/builder.ts";
import type { Parameters } from "../expr/compute-def.ts";
import { isWhat } from "../expr/describe.ts";
import { dtypes } from "../expr/dtype.ts";
import { requireDType } from "../expr/expr-handle.ts";

/** Defaults and overrides, sorted by name so that the order of writing does not matter. */
export function resolveParameters(defaults: Parameters, overrides: Partial<Parameters>): Parameters {
  const known = Object.keys(defaults);
  for (const name of Object.keys(overrides)) if (!known.includes(name)) unknownParameter(name, known);
  for (const name of known) requireDefault(name, defaults[name]);
  const names = known.toSorted();
  return Object.fromEntries(names.map((name) => [name, parameter(name, defaults[name]!, overrides[name])]));
}

function unknownParameter(name: string, known: readonly string[]): never {
  const hint = known.length > 0 ? `the parameters are ${known.join(", ")}` : "this operator has no parameters";
  return fail("expr.unknown-parameter", `there is no parameter ${name}`, { hint });
}

/** Refuses a default that is neither a number nor a dtype. */
function requireDefault(name: string, value: unknown): void {
  if (Number.isFinite(value) || dtypes.some((dtype) => dtype === value)) return;
  fail("expr.bad-parameter", `parameter ${name} ${isWhat(value)}`, { hint: hintFor(name, value) });
}

function hintFor(name: string, value: unknown): string {
  const isText = typeof value === "string" && value.trim() !== "";
  if ((isText || typeof value === "bigint") && Number.isFinite(Number(value)))
    return `a size is a number: ${name}: ${Number(value)}`;
  if (typeof value === "boolean")
    return `parameters are numbers and dtypes: give ${name} as 0 or 1, or make two operators`;
  const list = typeof value === "string" ? `; the dtypes are ${dtypes.join(", ")}` : "";
  return `parameters are numbers and dtypes${list}`;
}

function parameter(name: string, byDefault: number | string, override: unknown): number | string {
  const value = override ?? byDefault;
  if (typeof value !== typeof byDefault) {
    const wanted = typeof byDefault === "number" ? "a number" : "a dtype";
    const hint = `it must be ${wanted}, as its default ${byDefault}`;
    fail("expr.bad-parameter", `parameter ${name} ${isWhat(value)}`, { hint });
  }
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "number")
    fail("expr.bad-parameter", `parameter ${name} ${isWhat(value)}`, { hint: "parameters are numbers and dtypes" });
  requireDType(value, `parameter ${name}`);
  return value;
}

/** The parameters as the operator's function has them: names that it asks for and that are none are noted in `unknown`. */
export const observed = (parameters: Parameters, unknown: Set<string>): Parameters =>
  new Proxy(parameters, {
    get(target, key) {
      if (typeof key === "string" && !Object.hasOwn(target, key)) unknown.add(key);
      return Reflect.get(target, key);
    },
  });
