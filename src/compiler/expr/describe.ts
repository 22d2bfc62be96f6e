// Words for a value that the user gave where another was wanted. A value of the language says itself what it is.

/** Key under which a value of the language has its name in messages: "the tensor A". */
export const inWords: unique symbol = Symbol("in words");

/** Name of a value in a message: `the string "8"`, `an array`, `a function`, `12`. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `the string ${JSON.stringify(clipped(value))}`;
    case "bigint":
      return `the bigint ${value}n`;
    case "symbol":
      return "a symbol";
    case "function":
      return ownWords(value) ?? (isClass(value) ? "a class" : "a function");
    case "object":
      return value === null ? "null" : describeObject(value);
    case "number":
      return Number.isNaN(value) ? "not a number" : String(value);
    default:
      return String(value);
  }
}

/** Says whether the value can be made with new alone. */
export const isClass = (value: unknown): boolean => typeof value === "function" && /^class\b/.test(String(value));

/** `is an array`, `has no value`, `is not a number`: the rest of a sentence that begins with what has the value. */
export const isWhat = (value: unknown): string => (value === undefined ? "has no value" : `is ${describe(value)}`);

/** Object of "is given" and "returns": `nothing` where there is no value. */
export const given = (value: unknown): string =>
  value === undefined ? "nothing" : Number.isNaN(value) ? "a number that is none" : describe(value);

function describeObject(value: object): string {
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  return ownWords(value) ?? "an object";
}

const ownWords = (value: object): string | null =>
  inWords in value ? (value as { readonly [inWords]: string })[inWords] : null;

const longest = 40;

const clipped = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest)}…`);
