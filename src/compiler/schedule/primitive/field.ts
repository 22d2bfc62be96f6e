// The fields of an instruction, one value each: its name, the JSON values that it takes, whether it names loops, and what a call that
// leaves it out means. Tables of all instructions are made of these.

/** Says what is wrong with a value; null: nothing. */
export type Check = (value: unknown, path: string) => string | null;

export interface Field<Name extends string = string, IsNeeded extends boolean = boolean> {
  readonly name: Name;
  readonly check: Check;
  /** Whether the value is a loop, or a list of loops. */
  readonly names: "loop" | "loops" | null;
  /** Whether a call has to give it. */
  readonly isNeeded: IsNeeded;
  /** Value where a call leaves it out; undefined: the instruction then does not have the field. */
  readonly preset: unknown;
  /** Whether an instruction may do without it. */
  readonly isOptional: boolean;
}

export function field<const Name extends string>(
  name: Name,
  check: Check,
  names: Field["names"] = null,
): Field<Name, true> {
  return { name, check, names, isNeeded: true, preset: undefined, isOptional: false };
}

/** A field that an instruction may do without. Stands last. */
export const optional = <Name extends string>(it: Field<Name, true>): Field<Name, false> => {
  return { ...it, isNeeded: false, isOptional: true };
};

/** A field that a call may leave out: it then has this value. Stands last. */
export const withPreset = <Name extends string>(it: Field<Name, true>, preset: unknown): Field<Name, false> => {
  return { ...it, isNeeded: false, preset };
};

export const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** A name of anything: a buffer, a block, an intrinsic. */
export const anyName: Check = (value, path) =>
  typeof value === "string" && value !== "" ? null : `${path} is ${shown(value)}, a name is wanted`;

export const integerFrom =
  (least: number): Check =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least
      ? null
      : `${path} is ${shown(value)}, an integer from ${least} on is wanted`;

export const oneOf =
  (...values: readonly string[]): Check =>
  (value, path) =>
    values.some((it) => it === value) ? null : `${path} is ${shown(value)}, one of ${values.join(", ")} is wanted`;

export const listOf =
  (item: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? (value.map((each, at) => item(each, `${path}[${at}]`)).find((problem) => problem !== null) ?? null)
      : `${path} is ${shown(value)}, a list is wanted`;

export const orNull =
  (check: Check): Check =>
  (value, path) =>
    value === null ? null : check(value, path);

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object with these fields and no others. */
export const objectOf =
  (fields: readonly Pick<Field, "name" | "check" | "isOptional">[]): Check =>
  (value, path) => {
    if (!isObject(value)) return `${path} is ${shown(value)}, an object is wanted`;
    const unknown = Object.keys(value).find((key) => fields.every(({ name }) => name !== key));
    if (unknown !== undefined) return `${path} has the unknown field ${unknown}`;
    for (const { name, check, isOptional } of fields) {
      if (isOptional && !Object.hasOwn(value, name)) continue;
      const problem = Object.hasOwn(value, name) ? check(value[name], `${path}.${name}`) : `${path} has no ${name}`;
      if (problem !== null) return problem;
    }
    return null;
  };

export const loopFieldNamed = <const Name extends string>(name: Name): Field<Name, true> =>
  field(name, anyName, "loop");
export const loopField = loopFieldNamed("loop");
/** A loop, or null: the place outside of all loops, or all loops. */
export const loopOrNullField = field("loop", orNull(anyName), "loop");
export const blockField = field("block", anyName);
export const bufferField = field("buffer", anyName);

const layoutDim = objectOf([
  field("dim", integerFrom(0)),
  field("part", oneOf("whole", "outer", "inner")),
  field("tile", integerFrom(1)),
]);
export const layoutField = field("layout", listOf(layoutDim));

export const scopeField = field("scope", oneOf("input", "output", "workspace", "group", "register"));
