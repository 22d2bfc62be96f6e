// The JSON schema of kernels.lock.json, of the same names, numbers and forms as its decoder. Editors check a lock by it; a test holds it
// against the decoder.

import { codegenVersion, targetNames, targets } from "../../src/compiler/index.ts";
import { lockSchema } from "../../src/tuner/lock/lockfile.ts";

/** Draft 7 is the latest that all editors read. */
type Schema = Readonly<Record<string, unknown>>;

const plain = (maxLength: number): Schema => ({
  type: "string",
  maxLength,
  pattern: "^[\\u0020-\\u0021\\u0023-\\u005b\\u005d-\\u007e]*$",
});
const integer = (minimum: number, maximum: number): Schema => ({ type: "integer", minimum, maximum });
const number = (minimum: number, maximum: number): Schema => ({ type: "number", minimum, maximum });
const map = (names: Schema, values: Schema, maxProperties: number): Schema => ({
  type: "object",
  propertyNames: names,
  additionalProperties: values,
  maxProperties,
});
/** An object of exactly these fields. */
const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const described = (schema: Schema, description: string): Schema => ({ description, ...schema });

const digest: Schema = { type: "string", pattern: "^[0-9a-f]{64}$" };
const bytes = integer(0, 2 ** 40);

const smallName: Schema = { type: "string", maxLength: 40, pattern: "^[a-z0-9][a-z0-9._-]*$" };
const features: Schema = { type: "array", maxItems: 100, items: smallName };

const cpu = object({
  name: { enum: targetNames },
  codegen: { enum: ["wasm", "c"] },
  features,
  vectorBytes: integer(1, 256),
  vectorRegisters: integer(1, 1024),
  hasFma: { type: "boolean" },
  hasMaskedStore: { type: "boolean" },
  l1Bytes: bytes,
  l2Bytes: bytes,
  l3Bytes: bytes,
  threads: integer(1, 4096),
});

/** A foreign back end's target. Its limits are numbers by name, which only that back end knows. */
const accelerator = object({
  kind: { const: "accelerator" },
  name: smallName,
  backend: smallName,
  features,
  threads: integer(1, 4096),
  limits: map(plain(100), number(-(2 ** 53), 2 ** 53), 100),
});

const target: Schema = { anyOf: [cpu, accelerator] };

const foreign: Schema = { required: ["kind"], properties: { name: { not: { enum: targetNames } } } };

/** What the table of targets says of each of our names, for entries of this code generator. */
const namedTarget: Schema = {
  oneOf: targetNames
    .map((name): Schema => {
      const { backend: codegen, features, vectorBytes, vectorRegisters, hasFma, hasMaskedStore } = targets[name];
      const facts = { name, codegen, features, vectorBytes, vectorRegisters, hasFma, hasMaskedStore };
      return {
        type: "object",
        properties: Object.fromEntries(Object.entries(facts).map(([field, value]) => [field, { const: value }])),
      };
    })
    .concat(foreign),
};

const measured = object({
  medianNs: described(number(0, 86_400e9), "Nanoseconds of a call, the median"),
  gflops: number(0, 1e9),
  machine: described(plain(2000), "Class of the machine that measured it"),
  toolchain: plain(200),
  trials: described(integer(0, 1e9), "Candidates that were measured"),
});

const entry: Schema = {
  ...object(
    {
      op: object({
        name: { type: "string", maxLength: 100, pattern: "^[A-Za-z_$][A-Za-z0-9_$]*$" },
        digest: described(digest, "sha256 of the operator's canonical text"),
        parameters: map(plain(100), { anyOf: [number(-(2 ** 53), 2 ** 53), plain(100)] }, 100),
      }),
      target: described(target, "The target that the kernel was tuned for, with the caches of that machine"),
      numerics: { enum: ["fast", "strict"] },
      threads: integer(1, 4096),
      codegen: described(plain(100), "Version of the code generator"),
      candidate: described(
        object({ template: plain(2000), assignment: map(plain(400), integer(0, 2 ** 31 - 1), 1000) }),
        "The decisions, by name",
      ),
      source: described(digest, "sha256 of the source that the decisions generate"),
      measured: described(
        { anyOf: [{ type: "null" }, measured] },
        "How fast it was; null: it was predicted, or tuned for engines on other processors",
      ),
      signature: described(
        object({
          keyid: { type: "string", maxLength: 64, pattern: "^[a-z0-9][a-z0-9._-]*$" },
          sig: { type: "string", maxLength: 88, pattern: "^[A-Za-z0-9+/]{86}==$" },
        }),
        "Signature of the other fields, by a key that option trust may list",
      ),
    },
    ["signature"],
  ),
  if: { properties: { codegen: { const: codegenVersion } } },
  then: { properties: { target: namedTarget } },
};

export const lockfileSchema: Schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "kernels.lock.json",
  description: "Decisions of unplugin-kernel: how each kernel of a project is built. Written by the plugin; commit it.",
  ...object(
    {
      $schema: plain(500),
      schema: { const: lockSchema },
      kernels: map({ type: "string", pattern: '^[^"\\\\\\u0000-\\u001f\\u007f-\\u009f]{1,500}$' }, entry, 100_000),
    },
    ["$schema"],
  ),
};
