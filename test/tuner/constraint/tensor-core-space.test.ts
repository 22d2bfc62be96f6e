import { describe, expect, test } from "vitest";
import { check } from "../../../src/tuner/constraint/check.ts";
import type { Constraint, ConstraintModel } from "../../../src/tuner/constraint/constraint.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { explain } from "../../../src/tuner/constraint/solver/explain.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { tensorCoreModel, volta } from "./tensor-core-space.ts";

const space = { m: 1024, n: 1024, k: 1024, ...volta };

describe("a GEMM on tensor cores", () => {
  const model = tensorCoreModel(space);

  test("is of Heron's size", () => {
    expect(model.variables.filter(({ key }) => key)).toHaveLength(37);
    expect(model.variables).toHaveLength(120);
    const { normal } = compileModel(model);
    const options = normal.constraints.flatMap((one) => (one.kind === "select" ? one.options : []));
    const counted = normal.variables.filter(
      ({ name, domain }) => name !== null || !("length" in domain && domain.length === 1),
    );
    expect(counted.length + options.length).toBeGreaterThan(173);
  });

  test("has many schedules, each within its limits", () => {
    const compiled = compileModel(model);
    const rng = createRng(1);
    const drawn = new Set<string>();
    for (let k = 0; k < 200; k++) {
      const result = sample(compiled, rng);
      if (result.kind !== "found") throw new Error(result.kind);
      expect(check(model, result.assignment)).toEqual([]);
      drawn.add(JSON.stringify(result.assignment));
    }
    expect(drawn.size).toBe(200);
  });

  test("says what it has too little shared memory for, and each limit that it names is needed", () => {
    const small = tensorCoreModel({ ...space, sharedBytes: 768 });
    const explanation = explain(small)!;
    expect(explanation.text).toBe(
      [
        "no schedule satisfies all of these:",
        "  - an intrinsic has 4096 multiply-adds",
        "  - A.shared and B.shared fit 768 bytes of shared memory together",
      ].join("\n"),
    );
    for (const one of explanation.clash)
      expect(explain({ ...small, constraints: small.constraints.filter((other) => other !== one) })).toBeNull();
  });

  /** Rows of a published run of Heron, whose constraints bound each buffer and not their sum: the first failed on the GPU. */
  describe("has the shared memory of rows that were measured", () => {
    interface Row {
      readonly rows: number;
      readonly columns: number;
      readonly k: number;
      /** Elements by which rows of acc.shared, A.shared and B.shared are longer. */
      readonly offsets: readonly [number, number, number];
    }

    const withRow = ({ rows, columns, k, offsets: [acc, left, right] }: Row): ConstraintModel => {
      const values = {
        ...{ "wmma.m": 16, "wmma.n": 16, "wmma.k": 16 },
        ...{ "acc.shared.i": rows, "acc.shared.j": columns, "acc.shared.offset": acc },
        ...{ "A.shared.i": rows, "A.shared.k": k, "A.shared.offset": left },
        ...{ "B.shared.j": columns, "B.shared.k": k, "B.shared.offset": right },
      };
      const fixed = Object.entries(values).map(
        ([name, value]): Constraint => ({
          kind: "equal",
          left: name,
          right: value,
          why: `${name} is ${value}`,
          role: "limit",
        }),
      );
      return { ...model, constraints: [...model.constraints, ...fixed] };
    };

    test("52224 bytes of 49152 are refused, for the sum alone", () => {
      const explanation = explain(withRow({ rows: 256, columns: 64, k: 32, offsets: [24, 24, 24] }))!;
      expect(explanation.text).toContain("acc.shared and B.shared fit 49152 bytes of shared memory together");
      const larger = tensorCoreModel({ ...space, sharedBytes: 52_224 });
      const same = withRow({ rows: 256, columns: 64, k: 32, offsets: [24, 24, 24] }).constraints.slice(
        model.constraints.length,
      );
      expect(explain({ ...larger, constraints: [...larger.constraints, ...same] })).toBeNull();
    });

    test.each([
      [38_912, 16],
      [39_936, 24],
    ])("%i bytes are a schedule", (bytes, offset) => {
      const result = sample(
        compileModel(withRow({ rows: 128, columns: 64, k: 64, offsets: [16, 48, offset] })),
        createRng(1),
      );
      if (result.kind !== "found") throw new Error(result.kind);
      expect(check(model, result.assignment)).toEqual([]);
      const { assignment } = result;
      expect(
        Math.max(Number(assignment["live-with-A.shared.bytes"]), Number(assignment["live-with-acc.shared.bytes"])),
      ).toBe(bytes);
    });
  });
});
