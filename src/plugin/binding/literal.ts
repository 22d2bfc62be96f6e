// Text of an object literal of JavaScript: JSON, with expressions in it.

/** An expression that stands in the text as it is. */
export class Expression {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A function that evaluates an expression when it is called. */
export const later = (expression: string): Expression => new Expression(`() => ${expression}`);

/** `T` as it is written: functions are expressions, and members that are undefined are left out. */
export type Written<T> = T extends (...given: never[]) => unknown
  ? Expression
  : T extends object
    ? { readonly [Key in keyof T]: Written<T[Key]> | (undefined extends T[Key] ? undefined : never) } | Expression
    : T extends string
      ? T | Expression
      : T;

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Expression);

const keyText = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));

const membersOf = (value: object): readonly string[] =>
  Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [`${keyText(key)}: ${text(member)}`]));

const listOf = (lines: readonly string[]): string => lines.map((line) => `    ${line},\n`).join("");

/** Text of a value in one line, but for lists of objects, which have a line each. Facts have neither Infinity nor NaN, which JSON lacks. */
function text(value: unknown): string {
  if (value instanceof Expression) return value.text;
  if (isPlain(value)) return `{ ${membersOf(value).join(", ")} }`;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.some(isPlain) ? `[\n${listOf(value.map(text))}  ]` : `[${value.map(text).join(", ")}]`;
}

/** Text of an object, one member a line. */
export const objectText = (value: object): string =>
  `{\n${membersOf(value)
    .map((member) => `  ${member},\n`)
    .join("")}}`;
