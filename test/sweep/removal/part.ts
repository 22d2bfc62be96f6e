// The parts of the compiler that can be taken out: a name → the statement that does so, for the end of the module that
// lists them, and the tests that should notice, the likeliest first.

export type PartKind = "pass" | "rule" | "algorithm" | "primitive" | "intrinsic";

export interface Part {
  readonly kind: PartKind;
  readonly name: string;
}

/** The module that lists the parts of a kind. */
export const listOf: Readonly<Record<PartKind, string>> = {
  pass: "src/compiler/lower/pipeline.ts",
  rule: "src/tuner/space/rule/index.ts",
  algorithm: "src/tuner/space/algorithm/index.ts",
  primitive: "src/compiler/schedule/primitive/index.ts",
  intrinsic: "src/compiler/intrinsic/intrinsics.ts",
};

const dropFrom = (list: string, name: string): string =>
  `${list}.splice(${list}.findIndex((it) => it.name === ${JSON.stringify(name)}), 1);`;

export function removalOf({ kind, name }: Part): string {
  switch (kind) {
    case "pass":
      return dropFrom("passes", name);
    case "rule":
      return dropFrom("defaultRules", name);
    case "algorithm":
      return dropFrom("defaultAlgorithms", name);
    case "primitive":
      return `primitives[${JSON.stringify(name)}] = { ...primitives[${JSON.stringify(name)}], apply: (nest) => nest };`;
    case "intrinsic":
      return `${dropFrom("intrinsics", name)} byName.delete(${JSON.stringify(name)});`;
  }
}

/** Filters of vitest: one group is run after the other until a test fails. */
export function groupsFor({ kind, name }: Part): readonly (readonly string[])[] {
  switch (kind) {
    case "pass":
      return [[`lower/pass/${name}.test.ts`, "test/golden/"], ["test/compiler/lower/"], ["test/compiler/codegen/"]];
    case "rule":
      return [[`space/rule/${name}.test.ts`, "space/generate.test.ts"], ["test/tuner/space/"]];
    case "algorithm":
      return [["test/tuner/space/algorithm/"]];
    case "primitive":
      return [[`primitive/${name}.test.ts`, "primitive/marks.test.ts"], ["test/compiler/schedule/"]];
    case "intrinsic":
      return [
        ["space/rule/tensorize.test.ts", "space/rule/tile-registers.test.ts", "test/compiler/intrinsic/"],
        ["test/golden/"],
      ];
  }
}
