// Valid inputs → damaged ones: bytes, pieces of text, and JSON values inside of it. All choices come from the generator.

import type { Rng } from "../../../src/tuner/support/rng.ts";

type Mutator = (text: string, rng: Rng, seeds: readonly string[]) => string;

const place = (text: string, rng: Rng): number => rng.below(text.length + 1);
const insertAt = (text: string, at: number, piece: string): string => text.slice(0, at) + piece + text.slice(at);

/** Pieces of text that have broken parsers. */
const pieces = [
  "\ufeff",
  "\r\n",
  "\n",
  "\0",
  "\u2028",
  "\ud800",
  "é漢🙂",
  "\\u0000",
  "\\ud800",
  '"',
  "'",
  "`",
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\t",
  " ",
  "//",
  "/*",
  "null",
  "true",
  "-",
  "%",
  "%00",
  "&",
  "=",
  "?",
  "#",
  "0x10",
  "٣",
  "１２",
  "\u0661\u2028\u200b",
  "1e400",
  "-0",
  "-1",
  "9007199254740993",
  "123456789012345678901234567890",
  "__proto__",
  '"__proto__":{"polluted":1},',
  '"constructor":{"prototype":{"polluted":1}},',
  "toString",
  "hasOwnProperty",
  "<<<<<<< ours\n",
  "=======\n",
  ">>>>>>> theirs\n",
  "$(exit)",
  "*/;system(1);/*",
];

/** Values in place of a value in JSON. */
const values: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -0,
  () => -1,
  () => 0.5,
  () => 1e308,
  () => 2 ** 31,
  () => 2 ** 53 + 2,
  () => "",
  () => "__proto__",
  () => "\ud800",
  () => "x".repeat(3000),
  () => "f".repeat(64),
  () => [],
  () => ({}),
  () => JSON.parse('{"__proto__":{"polluted":1}}'),
  () => ({ constructor: { prototype: { polluted: 1 } } }),
  () => nested(100),
  () => Array.from({ length: 2000 }, () => 0),
];

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let at = 0; at < depth; at++) value = at % 2 ? [value] : { a: value };
  return value;
}

const flipBit: Mutator = (text, rng) => {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return text;
  const at = rng.below(bytes.length);
  bytes[at] = bytes[at]! ^ (1 << rng.below(8));
  return bytes.toString("utf8");
};
const setByte: Mutator = (text, rng) => {
  const bytes = Buffer.from(text);
  if (bytes.length > 0) bytes[rng.below(bytes.length)] = rng.below(256);
  return bytes.toString("utf8");
};
const truncate: Mutator = (text, rng) => text.slice(0, place(text, rng));
const behead: Mutator = (text, rng) => text.slice(place(text, rng));
const removePiece: Mutator = (text, rng) => {
  const at = place(text, rng);
  return text.slice(0, at) + text.slice(at + 1 + rng.below(20));
};
const doublePiece: Mutator = (text, rng) => {
  const at = place(text, rng);
  return insertAt(text, at, text.slice(at, at + 1 + rng.below(60)));
};
const insertPiece: Mutator = (text, rng) => insertAt(text, place(text, rng), rng.pick(pieces));
const prepend: Mutator = (text, rng) => rng.pick(pieces) + text;
const splice: Mutator = (text, rng, seeds) => {
  const other = rng.pick(seeds);
  return text.slice(0, place(text, rng)) + other.slice(place(other, rng));
};
/** JSON that no printer makes: text in place of a value. */
const rawValues = [
  "-0",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740993",
  "0.1e1",
  "1.0",
  "01",
  "NaN",
  '"\\ud800"',
  '"\\u0000"',
  '"\\u005f_proto__"',
  '"\u2028"',
  '"a\tb"',
  '"\\x41"',
  "'a'",
  "[1,]",
  "undefined",
  '{"__proto__":{"polluted":1}}',
  '{"a":1,"a":2}',
  "[".repeat(1000) + "]".repeat(1000),
  `${'{"a":'.repeat(1000)}0${"}".repeat(1000)}`,
];

/** Strings, numbers and words of JSON. */
const scalars = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

const replaceScalar: Mutator = (text, rng) => {
  const found = [...text.matchAll(scalars)];
  if (found.length === 0) return text;
  const { index, 0: scalar } = rng.pick(found);
  return text.slice(0, index) + rng.pick(rawValues) + text.slice(index + scalar.length);
};

/** A field that stands twice, with one value or with two. */
const doubleField: Mutator = (text, rng) => {
  const fields = [...text.matchAll(/("(?:[^"\\\n]|\\.)*")\s*:\s*/g)];
  if (fields.length === 0) return text;
  const { index, 0: name } = rng.pick(fields);
  return insertAt(text, index, `${name}${rng.pick(rawValues)},`);
};

/** Marks that git leaves where two branches changed the same lines; in the style diff3 with their ancestor's. */
const conflict: Mutator = (text, rng, seeds) => {
  const [lines, others] = [text.split("\n"), rng.pick(seeds).split("\n")];
  const at = rng.below(lines.length + 1);
  const upTo = at + rng.below(Math.min(lines.length - at, 40) + 1);
  const from = Math.min(at, others.length);
  const theirs = others.slice(from, from + rng.below(40));
  const base = rng.below(3) === 0 ? ["||||||| base", ...others.slice(from, from + rng.below(9))] : [];
  const marked = ["<<<<<<< ours", ...lines.slice(at, upTo), ...base, "=======", ...theirs, ">>>>>>> theirs"];
  return [...lines.slice(0, at), ...marked, ...lines.slice(upTo)].join("\n");
};

const replaceNumber: Mutator = (text, rng) => {
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return text;
  const { index, 0: found } = rng.pick(numbers);
  const next = rng.pick([
    "0",
    "-1",
    "1e999",
    "0.1",
    "4294967296",
    "9".repeat(1 + rng.below(400)),
    "00",
    "NaN",
    "Infinity",
  ]);
  return text.slice(0, index) + next + text.slice(index + found.length);
};
const crlf: Mutator = (text) => text.replaceAll("\n", "\r\n");
const doubleLine: Mutator = (text, rng) => {
  const lines = text.split("\n");
  lines.splice(rng.below(lines.length + 1), 0, rng.pick(lines));
  return lines.join("\n");
};
const removeLine: Mutator = (text, rng) => {
  const lines = text.split("\n");
  lines.splice(rng.below(lines.length), 1);
  return lines.join("\n");
};

/** Changes a JSON value in the text: the whole, or a line of it where the whole is none. */
const changeValue: Mutator = (text, rng, seeds) => {
  const whole = jsonOf(text);
  if (whole !== undefined) return JSON.stringify(changed(whole.value, rng, seeds), null, rng.below(2) * 2) ?? text;
  const lines = text.split("\n");
  const at = rng.below(lines.length);
  const line = jsonOf(lines[at]!);
  if (line) lines[at] = JSON.stringify(changed(line.value, rng, seeds)) ?? "";
  return lines.join("\n");
};

/** A value from somewhere in another seed. */
function grafted(rng: Rng, seeds: readonly string[]): unknown {
  let value = jsonOf(rng.pick(seeds))?.value ?? null;
  for (let left = rng.below(6); left > 0 && typeof value === "object" && value !== null; left--)
    value = rng.pick([null, ...Object.values(value)]);
  return value;
}

/** The same in another shape: an object as a list, a list as an object, something as a list of it. */
function reshaped(value: unknown, rng: Rng): unknown {
  const isObject = typeof value === "object" && value !== null;
  if (!isObject || rng.below(3) === 0) return rng.below(2) === 0 ? [value] : JSON.stringify(value);
  return Array.isArray(value) ? { ...value } : Object.values(value);
}

function jsonOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Walks down to some value and replaces, removes, renames or adds there. */
function changed(value: unknown, rng: Rng, seeds: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || rng.below(6) === 0) {
    const how = rng.below(8);
    return how === 0 ? grafted(rng, seeds) : how === 1 ? reshaped(value, rng) : rng.pick(values)();
  }
  if (Array.isArray(value)) {
    const at = rng.below(value.length + 1);
    if (rng.below(3) === 0) return [...value.slice(0, at), ...value.slice(at + 1)];
    return [...value.slice(0, at), changed(value[at], rng, seeds), ...value.slice(at + 1)];
  }
  const fields = Object.entries(value);
  const at = rng.below(fields.length + 1);
  const [name, field] = fields[at] ?? ["extra", 1];
  const other = rng.pick(["__proto__", "constructor", "toString", "", "extra", "kind", name.toUpperCase()]);
  // One way down alone: with all of them tried, a value that is nested a thousand deep would never end.
  const how = rng.below(6);
  const next: readonly (readonly [string, unknown])[] =
    how === 0
      ? []
      : how === 1
        ? [[other, field]]
        : how === 2
          ? [
              [name, field],
              [other, rng.pick(values)()],
            ]
          : [[name, changed(field, rng, seeds)]];
  return Object.fromEntries([...fields.slice(0, at), ...next, ...fields.slice(at + 1)]);
}

const mutators: readonly Mutator[] = [
  flipBit,
  flipBit,
  setByte,
  truncate,
  behead,
  removePiece,
  doublePiece,
  insertPiece,
  insertPiece,
  prepend,
  splice,
  conflict,
  doubleField,
  replaceScalar,
  replaceScalar,
  replaceNumber,
  replaceNumber,
  crlf,
  doubleLine,
  removeLine,
  changeValue,
  changeValue,
  changeValue,
  changeValue,
];

/** Characters of a large input. */
const largeLength = 2 ** 20;

/** Inputs of a megabyte: one in so many, as each takes as long as a thousand others. */
const largeEvery = 5000;

const large: readonly Mutator[] = [
  (text, rng) =>
    insertAt(
      text,
      place(text, rng),
      rng.pick(["[", "{", '"', " ", "a", "9", "\n", "\\", '{"a":', ",", "/"]).repeat(largeLength),
    ),
  (text) => text.repeat(Math.ceil(largeLength / (text.length + 1))),
  (text, rng) => {
    const strings = [...text.matchAll(/"[^"\n]*"/g)];
    if (strings.length === 0) return text + "x".repeat(largeLength);
    const { index } = rng.pick(strings);
    return insertAt(text, index + 1, "x".repeat(largeLength));
  },
];

/** The seeds cut short after each of their bytes, in turn: as they are after a kill, or on a full disk. */
export function cutSeed(seeds: readonly string[], at: number): string {
  const all = seeds.map((seed) => Buffer.from(seed));
  let left =
    at %
    Math.max(
      1,
      all.reduce((sum, { length }) => sum + length, 0),
    );
  for (const bytes of all) {
    if (left < bytes.length) return bytes.subarray(0, left).toString("utf8");
    left -= bytes.length;
  }
  return "";
}

/** Draws an input: a seed, damaged once to four times; now and then a seed as it is, or one of a megabyte. */
export function drawInput(rng: Rng, seeds: readonly string[]): string {
  const seed = rng.pick(seeds);
  if (rng.below(largeEvery) === 0) return rng.pick(large)(seed, rng, seeds);
  let text = seed;
  for (let left = rng.below(5); left > 0; left--) text = rng.pick(mutators)(text, rng, seeds);
  return text;
}
