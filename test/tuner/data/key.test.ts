import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import {
  type ArtifactKeyFields,
  artifactKey,
  canonicalJson,
  classKey,
  type ScheduleKeyFields,
  scheduleKey,
} from "../../../src/tuner/data/key.ts";
import { target } from "../store/sample-entry.ts";

const schedule: ScheduleKeyFields = { op: "1".repeat(64), target, numerics: "fast", threads: 1, codegen: "1" };

const artifact: ArtifactKeyFields = {
  schedule: "2".repeat(64),
  candidate: { template: "plain", assignment: { "i.0": 4, "i.1": 8 } },
  source: "3".repeat(64),
  toolchain: { name: "gcc", version: "12.2.0", triple: "x86_64-linux-gnu", options: ["-O2", "-mavx2"] },
};

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const changedLeaf = (value: string | number | boolean | null): Json => {
  if (typeof value === "string") return `${value}x`;
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : "something";
};

/** Every value that differs from `value` in one leaf, or by one more or one less list item or map field. */
function* variants(value: Json): Generator<Json> {
  if (typeof value !== "object" || value === null) yield changedLeaf(value);
  else if (Array.isArray(value)) {
    yield [...value, "extra"];
    yield value.slice(1);
    for (const [index, item] of value.entries()) for (const other of variants(item)) yield value.with(index, other);
  } else {
    for (const [name, field] of Object.entries(value as { readonly [name: string]: Json })) {
      for (const other of variants(field)) yield { ...value, [name]: other };
      const { [name]: _, ...rest } = value as { readonly [name: string]: Json };
      yield { ...rest, [`${name}x`]: field };
    }
  }
}

/** Every schedule that differs in one leaf. Its target stays a CPU's. */
function* scheduleVariants(): Generator<Json> {
  const { target, ...fields } = schedule as unknown as { readonly [name: string]: Json };
  const { kind, ...numbers } = target as { readonly [name: string]: Json };
  for (const other of variants(fields)) yield { ...(other as object), target: target! };
  for (const other of variants(numbers)) yield { ...fields, target: { ...(other as object), kind: kind! } };
}

describe("a key", () => {
  it.each([
    ["schedule", schedule, [...scheduleVariants()], (fields: Json) => scheduleKey(fields as never)],
    ["artifact", artifact, [...variants(artifact as unknown as Json)], (fields: Json) => artifactKey(fields as never)],
  ])("of a %s changes with any field", (_, fields, all, key) => {
    const others = all.map(key);
    expect(others.length).toBeGreaterThan(15);
    expect(new Set([key(fields as unknown as Json), ...others]).size).toBe(others.length + 1);
  });

  it("does not change with the order in which fields are written", () => {
    const { op, ...rest } = schedule;
    expect(scheduleKey({ ...rest, op })).toBe(scheduleKey(schedule));
  });

  it("of a class changes with any field but the sizes of caches", () => {
    const key = classKey(schedule);
    for (const size of ["l1Bytes", "l2Bytes", "l3Bytes"] as const)
      expect(classKey({ ...schedule, target: { ...target, [size]: target[size] + 1 } })).toBe(key);
    const { target: _, ...fields } = schedule;
    const { l1Bytes: _l1, l2Bytes: _l2, l3Bytes: _l3, intrinsics: _own, kind, ...ofClass } = target;
    const keyOf = (other: Json, its: Json): string =>
      classKey({ ...(other as object), target: { ...(its as object), kind } } as never);
    const others = [
      ...[...variants(fields)].map((other) => keyOf(other, ofClass)),
      ...[...variants(ofClass)].map((its) => keyOf(fields, its)),
    ];
    expect(others.length).toBeGreaterThan(12);
    expect(new Set([key, scheduleKey(schedule), ...others]).size).toBe(others.length + 2);
  });

  it("of a schedule is pinned: changing it empties every store", () => {
    expect(scheduleKey(schedule)).toMatchInlineSnapshot(
      `"f07bf59a8d83e3b8ed0a1b39ef340d80a39c097f267858be93be145e8d02ba33"`,
    );
  });

  test.prop([fc.jsonValue()])("canonical JSON is JSON of the same value, whatever the order", (value) => {
    const round = JSON.parse(canonicalJson(value));
    expect(JSON.stringify(round)).toBe(JSON.stringify(JSON.parse(canonicalJson(round))));
    expect(round).toEqual(JSON.parse(JSON.stringify(value)));
  });
});
