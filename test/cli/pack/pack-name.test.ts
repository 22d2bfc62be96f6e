// Names of packs: those that npm would refuse at the end are refused at once.

import { expect, test } from "vitest";
import { nameProblem } from "../../../src/cli/pack/package-name.ts";
import { gemm, runCli, writeProject } from "../project.ts";

test.each([
  "tuned-kernels",
  "@team/tuned-kernels",
  "@team/_kernels",
  "@team/-",
  "0",
  "a.b_c-d",
  "fs",
  "@team/node_modules",
  "n".repeat(214),
])("%s is one", (name) => {
  expect(nameProblem(name)).toBe(null);
});

test.each<[unknown, string]>([
  ["node_modules", "it is reserved"],
  ["favicon.ico", "it is reserved"],
  ["Kernels", "it has capital letters"],
  ["@Team/kernels", "it has capital letters"],
  [".kernels", 'it begins with "."'],
  ["_kernels", 'it begins with "_"'],
  ["-kernels", 'it begins with "-"'],
  ["@team/.kernels", 'it begins with "."'],
  ["tuned kernels", 'it has " " in it'],
  ["kernels\n", 'it has "\\n" in it'],
  ["kernels!", 'it has "!" in it'],
  ["~kernels", 'it has "~" in it'],
  ["../x", 'it begins with "."'],
  ["a/b", 'it has "/" in it'],
  ["@a/b/c", 'it has "/" in it'],
  ["größe", 'it has "ö" in it'],
  ["@team/", "a part of it is empty"],
  ["@/kernels", "a part of it is empty"],
  ["", "a part of it is empty"],
  ["n".repeat(215), "it has 215 characters, and 214 are the most"],
  [["a", "b"], "it is no text"],
])("%j is none", (name, why) => {
  expect(nameProblem(name)).toBe(why);
});

test("pack refuses one with the reason, and notes one of Node's modules", () => {
  const root = writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
  });
  const { exitCode, errors } = runCli(root, "pack", "packs", "--name", "node_modules");
  expect([exitCode, errors]).toEqual([
    2,
    'command.bad-argument: npm takes no package of the name "node_modules": it is reserved\n  hint: wanted: --name @team/tuned-kernels\n',
  ]);
  expect(runCli(root, "pack", "packs", "--name", "http").errors).toContain("note      http is a module of Node's");
});
