// The JSON schema that the package ships for kernels.lock.json: it accepts what the decoder accepts, and nothing else.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { codegenVersion, type Target, targetNames, targets } from "../../../src/compiler/index.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { lockfileSchema } from "../../support/lock-schema.ts";
import { lockEntry } from "../store/sample-entry.ts";

const repository = resolve(import.meta.dirname, "../../..");
const file = join(repository, "kernels.lock.schema.json");
const text = `${JSON.stringify(lockfileSchema, null, 2)}\n`;
if (process.env.UPDATE_SCHEMA) writeFileSync(file, text);

const isValid = new Ajv({ allErrors: false }).compile(JSON.parse(text));
const isRead = (value: unknown): boolean => parseLockfile(JSON.stringify(value), "lock").kind === "ok";

test("the file of the package is what the types and numbers of the decoder say (UPDATE_SCHEMA=1 writes it)", () => {
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(text));
  const { exports, files } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  expect(exports["./kernels.lock.schema.json"]).toBe("./kernels.lock.schema.json");
  expect(files).toContain("kernels.lock.schema.json");
});

test("locks of the examples, and what the printer writes, are valid", () => {
  for (const app of ["image-filter", "mlp-service", "semantic-search"]) {
    const lock = JSON.parse(readFileSync(join(repository, "fixtures/apps", app, "kernels.lock.json"), "utf8"));
    expect(isValid(lock), app).toBe(true);
  }
  for (const link of [undefined, "./node_modules/unplugin-kernel/kernels.lock.schema.json"])
    expect(isValid(JSON.parse(printLockfile(new Map([["a.op.ts?tune=avx2", lockEntry]]), link)))).toBe(true);
});

type Path = readonly (string | number)[];

/** Paths of all values in a value, its own first. */
const pathsIn = (value: unknown, path: Path = []): readonly Path[] => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        pathsIn(inner, [...path, Array.isArray(value) ? Number(name) : name]),
      )
    : []),
];

/** Copy of a value with another one at a path; undefined takes it out. */
function withAt(value: unknown, [first, ...rest]: Path, put: unknown): unknown {
  if (first === undefined) return put;
  const inner = (value as Record<string, unknown>)[first];
  const changed = withAt(inner, rest, put);
  if (Array.isArray(value))
    return value.flatMap((item, at) => (at !== first ? [item] : changed === undefined ? [] : [changed]));
  const others = Object.entries(value as object).filter(([name]) => name !== first);
  return Object.fromEntries(changed === undefined ? others : [...others, [first, changed]]);
}

const entryOf = (name: keyof typeof targets, codegen: string) => ({
  ...lockEntry,
  codegen,
  target: targets[name] as Target,
});
const lockOf = (name: keyof typeof targets, codegen: string): unknown =>
  JSON.parse(
    printLockfile(
      new Map([
        ["src/a.op.ts?tune=x", entryOf(name, codegen)],
        ["b", { ...lockEntry, signature: { keyid: "ci-1", sig: `${"A".repeat(86)}==` } }],
      ]),
      "./schema.json",
    ),
  );

const locks = fc
  .tuple(fc.constantFrom(...targetNames), fc.constantFrom(codegenVersion, "1"))
  .map((of) => lockOf(...of));

/** Values at and beyond the bounds of the decoder, and of other kinds. */
const values = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...[0, -1, 0.5, 1, 15, 16, 30, 32, 64, 256, 257, 1024, 1025, 4096, 4097, 1e9, 2e9]),
  },
  fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 40, 2 ** 40 + 1, 2 ** 53, 2 ** 54, -(2 ** 53), 86_400e9, 1e14, 1e300),
  fc.constantFrom<unknown>(
    "",
    "wasm",
    "c",
    "avx2",
    "avx512",
    "fast",
    "strict",
    codegenVersion,
    "simd128",
    "a b",
    'a"b',
    "ü",
    "a\\b",
  ),
  fc.constantFrom(...[40, 41, 100, 101, 200, 201, 400, 401, 500, 501, 2000, 2001].map((length) => "a".repeat(length))),
  fc.constantFrom(
    "0".repeat(64),
    "0".repeat(63),
    "g".repeat(64),
    "\u0000",
    "\u0085",
    "😀",
    "😀".repeat(500),
    "😀".repeat(501),
  ),
  fc.constantFrom<unknown>(null, true, false, {}, [], ["simd128"], ["avx", "avx2", "f16c", "fma"], { a: 1 }, undefined),
  fc.constantFrom(...targetNames.map((name) => targets[name])),
  fc.jsonValue(),
);

/** A lock with a value replaced, taken out, put in or under another name. */
const mutated = locks.chain((lock) =>
  fc.tuple(fc.constantFrom(...pathsIn(lock)), values, values, fc.boolean()).map(([path, value, name, isNew]) => {
    if (!isNew) return withAt(lock, path, value) ?? null;
    const within = path.reduce<unknown>((at, field) => (at as Record<string, unknown>)[field], lock);
    return typeof within === "object" && within !== null && !Array.isArray(within)
      ? withAt(lock, path, { ...within, [String(name)]: value === undefined ? Object.values(within)[0] : value })
      : withAt(lock, path.slice(0, -1), value);
  }),
);

test("a mutated lock is valid where it can be read, and only there", () => {
  let read = 0;
  fc.assert(
    fc.property(mutated, (lock) => {
      const text = JSON.stringify(lock ?? null);
      const parsed: unknown = JSON.parse(text);
      read += isRead(parsed) ? 1 : 0;
      expect([text.slice(0, 4000), isValid(parsed)]).toEqual([text.slice(0, 4000), isRead(parsed)]);
    }),
    { numRuns: 1500, seed: 20261125 },
  );
  // Both answers are well tried.
  expect(read).toBeGreaterThan(100);
  expect(read).toBeLessThan(1350);
});
