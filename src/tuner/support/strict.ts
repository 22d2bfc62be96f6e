// Strict decoders for data that comes from a file: every field is known, every number has bounds, every string a form.
// A decoder takes a parsed JSON value and returns it typed, or throws a ShapeError that says where and what was wanted.

export type Path = readonly (string | number)[];
export type Decode<T> = (value: unknown, path: Path) => T;

/** Most letters of a name that a message repeats. */
const mostShown = 200;

/** The name of a field from outside, without what a terminal would obey, and no longer than a reader takes in. */
export function shownName(name: string | number): string {
  const text = String(name);
  const start = text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
  return start.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");
}

/** Thrown by decoders only, and caught by their callers, to whom bad input is a value. */
export class ShapeError extends Error {
  readonly path: Path;

  constructor(path: Path, wanted: string) {
    super(`${path.length === 0 ? "the value" : path.map(shownName).join(".")} must be ${wanted}`);
    this.name = "ShapeError";
    this.path = path;
  }
}

/**
 * Pattern of printable ASCII without quotes or backslashes. No such string reaches generated code but by comparison with
 * ours.
 */
const printable = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;

export const text =
  (
    maxLength: number,
    form: RegExp = printable,
    wanted = `text of at most ${maxLength} plain characters`,
  ): Decode<string> =>
  (value, path) => {
    if (typeof value !== "string" || value.length > maxLength || !form.test(value)) throw new ShapeError(path, wanted);
    return value;
  };

export const sha256Hex: Decode<string> = text(64, /^[0-9a-f]{64}$/, "a sha256 of 64 hex digits");

export const integer =
  (min: number, max: number): Decode<number> =>
  (value, path) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max)
      throw new ShapeError(path, `an integer in ${min}..${max}`);
    return value;
  };

/** Decodes a finite number in min..max. */
export const number =
  (min: number, max: number): Decode<number> =>
  (value, path) => {
    if (typeof value !== "number" || !(value >= min && value <= max))
      throw new ShapeError(path, `a number in ${min}..${max}`);
    return value;
  };

export const boolean: Decode<boolean> = (value, path) => {
  if (typeof value !== "boolean") throw new ShapeError(path, "true or false");
  return value;
};

export const oneOf =
  <const T extends string | number>(...values: readonly T[]): Decode<T> =>
  (value, path) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new ShapeError(path, values.map((known) => JSON.stringify(known)).join(" or "));
    return found;
  };

export const nullable =
  <T>(decode: Decode<T>): Decode<T | null> =>
  (value, path) =>
    value === null ? null : decode(value, path);

/** Decodes a field that may be missing: `object` then leaves it out. */
export const optional =
  <T>(decode: Decode<T>): Decode<T | undefined> =>
  (value, path) =>
    value === undefined ? undefined : decode(value, path);

/** Decodes by the first decoder that accepts; the error is the last one's. */
export const either =
  <A, B>(first: Decode<A>, second: Decode<B>): Decode<A | B> =>
  (value, path) => {
    try {
      return first(value, path);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      return second(value, path);
    }
  };

export const list =
  <T>(item: Decode<T>, maxLength: number): Decode<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value) || value.length > maxLength)
      throw new ShapeError(path, `a list of at most ${maxLength} items`);
    return value.map((element, index) => item(element, [...path, index]));
  };

function entriesOf(value: unknown, path: Path): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ShapeError(path, "an object");
  return Object.entries(value);
}

/** Decodes an object used as a map. */
export const mapOf =
  <T>(key: Decode<string>, item: Decode<T>, maxSize: number): Decode<Readonly<Record<string, T>>> =>
  (value, path) => {
    const entries = entriesOf(value, path);
    if (entries.length > maxSize) throw new ShapeError(path, `an object of at most ${maxSize} fields`);
    return Object.fromEntries(
      entries.map(([name, field]) => [key(name, [...path, name]), item(field, [...path, name])]),
    );
  };

/** Decodes an object of exactly these fields: an unknown one is refused, and so is a missing one that is not `optional`. */
export const object =
  <T extends object>(fields: { readonly [K in keyof T]-?: Decode<T[K]> }): Decode<T> =>
  (value, path) => {
    const entries = entriesOf(value, path);
    const unknown = entries.find(([name]) => !Object.hasOwn(fields, name));
    if (unknown)
      throw new ShapeError([...path, unknown[0]], `absent: the known fields are ${Object.keys(fields).join(", ")}`);
    const given = new Map(entries);
    const decoded: Partial<T> = {};
    for (const name of Object.keys(fields) as (keyof T & string)[]) {
      const field = fields[name](given.get(name), [...path, name]);
      if (field !== undefined) decoded[name] = field;
    }
    return decoded as T;
  };

/** Decodes a union told apart by the field `kind`: one decoder a kind. */
export const union =
  <T extends { readonly kind: string }>(
    kinds: {
      readonly [K in T["kind"]]: Decode<Extract<T, { readonly kind: K }>>;
    },
  ): Decode<T> =>
  (value, path) => {
    const kind = oneOf(...(Object.keys(kinds) as T["kind"][]))(new Map(entriesOf(value, path)).get("kind"), [
      ...path,
      "kind",
    ]);
    return kinds[kind](value, path);
  };

/** Reads a text of JSON strictly; null: it is no JSON, or what it says is not decoded. */
export function parseStrict<T>(content: string, decode: Decode<T>): T | null {
  try {
    return decode(JSON.parse(content), []);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
