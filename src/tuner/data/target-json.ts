// Targets as locks, keys, batches and jobs have them: Target ↔ JSON. A CPU's is written as it was when there were no other kinds, so that
// all keys and signatures stay valid. Those of a user are in no file: another program does not know what their names stand for.

import { type AcceleratorTarget, type CpuTarget, coreNames, type Target, targetNames } from "../../compiler/index.ts";
import {
  boolean,
  type Decode,
  integer,
  list,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
} from "../support/strict.ts";

/** A CPU: its back end is called `codegen`, and it has no kind. */
export type CpuTargetJson = Omit<CpuTarget, "kind" | "backend" | "own" | "intrinsics"> & {
  readonly codegen: CpuTarget["backend"];
};

export type TargetJson = CpuTargetJson | AcceleratorTarget;

export function encodeTarget(target: Target): TargetJson {
  switch (target.kind) {
    case "cpu": {
      const { kind: _, name, backend, ...fields } = target;
      return { name, codegen: backend, ...fields };
    }
    case "accelerator":
      return target;
  }
}

export function targetOfJson(json: TargetJson): Target {
  if (!("codegen" in json)) return json;
  const { codegen, ...fields } = json;
  return { kind: "cpu", ...fields, backend: codegen };
}

/** Size of a cache that a kernel was tuned for. */
export const decodeCacheSize: Decode<number> = integer(0, 2 ** 40);

const decodeFeatures = list(text(40, /^[a-z0-9][a-z0-9._-]*$/, "a feature name"), 100);

const decodeCpu: Decode<CpuTargetJson> = object<CpuTargetJson>({
  name: oneOf(...targetNames),
  codegen: oneOf("wasm", "c"),
  features: decodeFeatures,
  vectorBytes: integer(1, 256),
  vectorRegisters: integer(1, 1024),
  hasFma: boolean,
  hasMaskedStore: boolean,
  l1Bytes: decodeCacheSize,
  l2Bytes: decodeCacheSize,
  l3Bytes: decodeCacheSize,
  core: optional(oneOf(...coreNames)),
  threads: integer(1, 4096),
});

const name = text(40, /^[a-z0-9][a-z0-9._-]*$/, "a name in small letters");

const decodeAccelerator: Decode<AcceleratorTarget> = object<Omit<AcceleratorTarget, "own" | "intrinsics">>({
  kind: oneOf("accelerator"),
  name,
  backend: name,
  features: decodeFeatures,
  threads: integer(1, 4096),
  limits: mapOf(text(100), number(-(2 ** 53), 2 ** 53), 100),
});

/** Decodes the target of any back end, also of one that is not known here. A value without a kind is a CPU's. */
export const decodeTargetJson: Decode<TargetJson> = (value, path) =>
  typeof value === "object" && value !== null && "kind" in value
    ? decodeAccelerator(value, path)
    : decodeCpu(value, path);

export const decodeTarget: Decode<Target> = (value, path) => targetOfJson(decodeTargetJson(value, path));
