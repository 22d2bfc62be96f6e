// An error of JavaScript's own in an operator file → what it means there, and what to do: a name that the language exports and
// that is not imported, a name that it does not have, a method that expressions do not have.

import { closest } from "../support/closest.ts";

/** Names that a module of the language exports, by the module. */
export type LanguageNames = Readonly<Record<string, readonly string[]>>;

export interface ExplainedError {
  readonly message: string;
  readonly hint: string | null;
}

/** @param methods of expressions */
export function explainError(error: Error, language: LanguageNames, methods: readonly string[]): ExplainedError {
  const message = `${error.name}: ${error.message}`;
  if (error instanceof ReferenceError) return explainReference(error.message, message, language);
  if (error instanceof TypeError) return explainType(error.message, message, language, methods);
  if (error instanceof RangeError && error.message.startsWith("Maximum call stack"))
    return { message, hint: "a function calls itself without end" };
  return { message, hint: null };
}

const importLine = (name: string, module: string): string => `import { ${name} } from "${module}";`;

function explainReference(text: string, message: string, language: LanguageNames): ExplainedError {
  const early = /^Cannot access '(.+)' before initialization$/.exec(text)?.[1];
  if (early !== undefined)
    return {
      message,
      hint: `${early} is used before the line that gives it its value, or two files import each other`,
    };
  const missing = /^(\S+) is not defined$/.exec(text)?.[1];
  if (missing === undefined) return { message, hint: null };
  return { message, hint: hintForName(missing, language) };
}

function hintForName(missing: string, language: LanguageNames): string | null {
  for (const [module, names] of Object.entries(language))
    if (names.includes(missing)) return importLine(missing, module);
  const written = spelled[missing];
  if (written !== undefined) return `the language has ${written}`;
  const meant = words[missing] ?? closest(missing, Object.values(language).flat());
  return meant === null ? null : `did you mean ${meant}?`;
}

function explainType(
  text: string,
  message: string,
  language: LanguageNames,
  methods: readonly string[],
): ExplainedError {
  // The bundler writes `(0, import_op.name)(…)` for a call of what a module exports.
  const [, module, imported] = /^\(0 ?, import_(ops?)\d*\.([\w$]+)\) is not a function$/.exec(text) ?? [];
  if (imported !== undefined) return notExported(imported, `unplugin-kernel/${module}`, language);
  const called = /\.([\w$]+) is not a function$/.exec(text)?.[1];
  if (called === undefined) return { message, hint: null };
  const method = words[called] ?? closest(called, methods);
  return { message, hint: method === null ? null : `expressions have ${method}` };
}

function notExported(name: string, module: string, language: LanguageNames): ExplainedError {
  const message = `${module} exports no ${name}`;
  const other = Object.entries(language).find(([, names]) => names.includes(name))?.[0];
  if (other !== undefined) return { message, hint: importLine(name, other) };
  const written = spelled[name];
  if (written !== undefined) return { message, hint: `the language has ${written}` };
  const meant = words[name] ?? closest(name, language[module] ?? []);
  return {
    message,
    hint: meant === null ? `it exports ${(language[module] ?? []).join(", ")}` : `did you mean ${meant}?`,
  };
}

/** Functions that people know from elsewhere, as they are written here. */
const spelled: Readonly<Record<string, string>> = {
  relu: "x.max(0)",
  square: "x.mul(x)",
  clamp: "x.max(low).min(high)",
  clip: "x.max(low).min(high)",
  axis: "reduceAxis(name, extent)",
  placeholder: "tensor(name, shape, dtype)",
};

/** Other names that people know for a method. */
const words: Readonly<Record<string, string>> = {
  plus: "add",
  minus: "sub",
  subtract: "sub",
  times: "mul",
  multiply: "mul",
  divide: "div",
  modulo: "mod",
  rem: "mod",
  remainder: "mod",
  power: "pow",
  equal: "eq",
  equals: "eq",
  notEqual: "ne",
  less: "lt",
  lte: "le",
  greater: "gt",
  gte: "ge",
  negate: "neg",
  where: "select",
  astype: "cast",
  to: "cast",
  trunc: 'cast("i32")',
};
