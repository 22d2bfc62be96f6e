// The order of the rules stands in one table, and who has a stage is decided in one place: rules neither import nor ask each
// other.

import { describe, expect, test } from "vitest";
import gemmBiasRelu from "../../../../fixtures/ops/gemm-bias-relu.op.ts";
import gemmExpGemm from "../../../../fixtures/ops/gemm-exp-gemm.op.ts";
import gemmInt8 from "../../../../fixtures/ops/gemm-int8.op.ts";
import softmax from "../../../../fixtures/ops/softmax.op.ts";
import { instantiate, type Op } from "../../../../src/compiler/index.ts";
import { ruleOrder } from "../../../../src/tuner/space/draft/rule-order.ts";
import type { SpaceRule } from "../../../../src/tuner/space/draft/space-rule.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { defaultRules } from "../../../../src/tuner/space/rule/index.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";
import { type SourceFile, sourceFile, sourceFiles } from "../../../support/source-files.ts";

test("the rules are those of the table, by the same names", () => {
  expect(defaultRules.map(({ name }) => name)).toEqual(ruleOrder);
});

/** Says whether a file is one that a rule stands in. */
const isRule = ({ code }: SourceFile): boolean =>
  code.some((line) => /^export const \w+: (Space|Tiling)Rule = /.test(line));

/** Imports of one rule's file by another's, or by anything but the list of rules. */
const importsOfRules = (files: readonly SourceFile[]): readonly string[] => {
  const rules = new Set(files.filter(isRule).map(({ path }) => path));
  return files
    .filter(({ path }) => !path.endsWith("/rule/index.ts"))
    .flatMap(({ path, imports }) =>
      imports.filter(({ from }) => rules.has(from)).map(({ from }) => `${path}: ${from}`),
    );
};

/** Lines that ask a rule whether it applies, or apply it: only what generates spaces does. */
const asksOfRules = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter(({ path }) => !/\/(generate|algorithm\/index)\.ts$/.test(path))
    .flatMap(({ path, code }) =>
      code.filter((line) => /\.(applies|apply)\(/.test(line)).map((line) => `${path}: ${line}`),
    );

describe("no rule knows another", () => {
  const files = sourceFiles("src/tuner").filter(({ path }) => path.includes("/space/"));

  test("by import", () => {
    expect(files.filter(isRule)).toHaveLength(ruleOrder.length);
    expect(importsOfRules(files)).toEqual([]);
  });

  test("by asking it", () => {
    expect(asksOfRules(files)).toEqual([]);
  });

  test("and these tests find what they forbid", () => {
    const one = sourceFile("src/tuner/space/rule/one.ts", "// x\nexport const one: SpaceRule = {};\n");
    const text =
      '// x\nimport { one } from "./one.ts";\nexport const two: TilingRule = {};\none.applies(stage, context);\n';
    const two = sourceFile("src/tuner/space/rule/two.ts", text);
    expect(importsOfRules([one, two])).toEqual(["src/tuner/space/rule/two.ts: src/tuner/space/rule/one.ts"]);
    expect(asksOfRules([one, two])).toEqual(["src/tuner/space/rule/two.ts: one.applies(stage, context);"]);
  });
});

/** Names of the rules that have an operator's stages, as a rule before all others is told. */
function ownersIn(op: Op, alongside?: boolean): Readonly<Record<string, string | undefined>> {
  const owners: Record<string, string | undefined> = {};
  const probe: SpaceRule = {
    name: "probe",
    ...(alongside === undefined ? {} : { alongside }),
    applies: () => true,
    apply(draft, { name }, { stages, ruleOf, otherwise }) {
      for (const stage of stages) owners[stage.name] = ruleOf(stage)?.name;
      return otherwise(draft, name);
    },
  };
  const task = { op: instantiate(op, {}, "op"), target: frozenTargets.amx, numerics: "fast", threads: 1 } as const;
  generateSpace(task, [probe, ...defaultRules]);
  return owners;
}

describe("the rule that has a stage", () => {
  test("is the first that applies, without those that only add ways to its", () => {
    // Tiles and intrinsics stand beside it, and so does the chain of two products.
    expect(ownersIn(gemmInt8, true)).toEqual({ C: "multi-level-tiling" });
    expect(ownersIn(gemmBiasRelu, true)).toEqual({ "C.sum": "multi-level-tiling", C: "fuse-epilogue" });
    expect(Object.values(ownersIn(gemmExpGemm, true))).toEqual([
      "multi-level-tiling",
      "fuse-epilogue",
      "multi-level-tiling",
    ]);
    expect(Object.values(ownersIn(softmax, true)).toSorted()).toEqual([
      "split-reduction",
      "split-reduction",
      "vectorize-map",
    ]);
  });

  test("is a user's rule unless that says that it stands alongside", () => {
    expect(ownersIn(gemmInt8)).toEqual({ C: "probe" });
  });
});
