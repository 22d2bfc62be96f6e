// Why spaces are empty: every template has its say, and what propagation cannot decide z3 does.

import { describe, expect, test } from "vitest";
import type { Constraint, ConstraintModel } from "../../../src/tuner/constraint/constraint.ts";
import { explain, solvabilityBy } from "../../../src/tuner/constraint/solver/explain.ts";
import { loadZ3 } from "../../../src/tuner/constraint/solver/z3.ts";
import { asWritten } from "../../../src/tuner/data/computation.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { explainSpace, explainSpaceFully } from "../../../src/tuner/space/explain-space.ts";
import { pigeonhole } from "../constraint/pigeonhole.ts";
import { anyOp } from "../search/synthetic-task.ts";

const templateOf = (name: string, model: ConstraintModel): Template => ({
  name,
  ...asWritten(anyOp),
  instructions: [],
  structure: [],
  model,
});

const limit = (variable: string, right: number, why: string): Constraint => ({
  kind: "at-most",
  left: variable,
  right,
  why,
  role: "limit",
});

const rows: ConstraintModel = {
  variables: [{ name: "rows", domain: [4, 8], key: true }],
  constraints: [limit("rows", 2, "rows of i fit the registers")],
};
const vectors: ConstraintModel = {
  variables: [{ name: "vectors", domain: [4, 8], key: true }],
  constraints: [limit("vectors", 6, "not needed"), limit("vectors", 3, "vectors of j fit the registers")],
};

describe("templates", () => {
  test("that are empty for different reasons are told apart; a reason that several share is told once", () => {
    const templates = [templateOf("a", rows), templateOf("b", vectors), templateOf("c", rows)];
    expect(explainSpace({ templates })).toEqual({
      message: "no schedule satisfies all limits",
      detail: [
        '"a" and 1 more: no schedule satisfies all of these:',
        "  - rows of i fit the registers",
        '"b": no schedule satisfies all of these:',
        "  - vectors of j fit the registers",
      ].join("\n"),
    });
  });

  test("beyond three reasons are counted", () => {
    const templates = [1, 2, 3, 4, 5].map((at) =>
      templateOf(`t${at}`, { ...rows, constraints: [limit("rows", 2, `reason ${at}`)] }),
    );
    const { detail } = explainSpace({ templates });
    expect(detail).toContain("reason 3");
    expect(detail).not.toContain("reason 4");
    expect(detail!.endsWith("\nand 2 more templates")).toBe(true);
  });
});

describe("a contradiction that propagation does not find", () => {
  const hard: ConstraintModel = {
    variables: [...pigeonhole(6).variables, ...rows.variables],
    constraints: [...pigeonhole(6).constraints, limit("rows", 6, "not needed")],
  };

  test("is not called one before z3 has been asked", () => {
    expect(solvabilityBy(null)(hard)).toBe("unknown");
    expect(explainSpace({ templates: [templateOf("hard", hard)] }, null)).toEqual({
      message: "no schedule was found",
      detail: "neither a schedule nor a contradiction was found",
    });
  });

  test("is reduced to a minimal one by z3", async () => {
    const { clash, isMinimal } = explain(hard, await loadZ3())!;
    expect(isMinimal).toBe(true);
    expect(new Set(clash)).toEqual(new Set(pigeonhole(6).constraints.map((it) => expect.objectContaining(it))));
    const { message, detail } = await explainSpaceFully({ templates: [templateOf("hard", hard)] });
    expect(message).toBe("no schedule satisfies all limits");
    expect(detail).toContain("p0 and p1 have different places");
    expect(detail).not.toContain("not needed");
  });
});
