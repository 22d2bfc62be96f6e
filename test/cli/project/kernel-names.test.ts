// The ways to name kernels on the command line: files by relative, absolute and linked paths, patterns, and imports as they are written.

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openProject } from "../../../src/cli/project/project.ts";
import { wantedKernels } from "../../../src/cli/project/wanted-kernels.ts";
import { gemm, writeProject } from "../project.ts";

const root = writeProject({
  "package.json": '{ "imports": { "#op/*": "./src/deep/*" } }',
  "src/gemm.op.ts": gemm,
  "src/deep/other.op.ts": gemm,
  "src/main.ts":
    'import gemm from "./gemm.op.ts?tune=wasm";\nimport small from "./gemm.op.ts?M=8&tune=wasm";\nimport other from "#op/other.op.ts?tune=wasm";\nconsole.log(gemm, small, other);\n',
});
symlinkSync(root, `${root}-link`, "junction");
const [whole, small, other] = [
  "src/gemm.op.ts?tune=wasm",
  "src/gemm.op.ts?M=8&tune=wasm",
  "src/deep/other.op.ts?tune=wasm",
];

async function named(...names: readonly string[]): Promise<readonly string[]> {
  const kernels = await wantedKernels(openProject({ root }, "silent"), names);
  return kernels.map(({ path, query }) => path.slice(root.length + 1).replaceAll("\\", "/") + query);
}

describe("a kernel is named by", () => {
  test.each([
    ["a path", ["src/gemm.op.ts"], [small, whole]],
    ["a path from here", ["./src/gemm.op.ts"], [small, whole]],
    ["an absolute path", [join(root, "src/gemm.op.ts")], [small, whole]],
    ["a path through a link to the project", [join(`${root}-link`, "src/gemm.op.ts")], [small, whole]],
    ["a path with Windows' separators", ["src\\deep\\other.op.ts"], [other]],
    ["a file with its query, in any order", ["src/gemm.op.ts?tune=wasm&M=8"], [small]],
    ["a pattern", ["src/*.op.ts"], [small, whole]],
    ["a pattern for all folders", ["**/*.op.ts"], [other, small, whole]],
    ["a pattern with a query", ["./src/**/*.op.ts?tune=wasm"], [other, whole]],
    ["an import as it is written", ["#op/other.op.ts?tune=wasm"], [other]],
    ["the file of an import", ["./gemm.op.ts"], [small, whole]],
    ["two names that overlap", ["src/gemm.op.ts", whole!], [small, whole]],
  ])("%s", async (_, names, kernels) => {
    expect(await named(...names)).toEqual(kernels);
  });

  test.each(["", "src", "gemm", "src/gemm.op.ts?tune=avx2", "*.op.ts", "["])(
    "%j names none, and the error lists the files",
    async (name) => {
      await expect(named(name)).rejects.toThrow(
        `command.bad-argument: no import asks for a kernel of ${name}\n  hint: wanted: src/deep/other.op.ts, src/gemm.op.ts`,
      );
    },
  );
});
