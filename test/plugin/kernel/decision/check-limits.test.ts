// Limits of the lock file, of addons and of WASM memories: a kernel beyond them is refused before anything is measured.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mostArrays } from "../../../../src/plugin/kernel/decision/check-limits.ts";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { printedError } from "../../../support/op-file.ts";

/** Says what a kernel is refused with. A compiler and a workbench that are asked for would be a tuning that was begun. */
const refusal = (root: string, opFile: string, request: object = {}): Promise<string> =>
  printedError(() =>
    compileIn(root, {
      request: { opFile: join(root, opFile), ...request },
      change: () => ({
        workbench: () => {
          throw new Error("tuned");
        },
        toolchain: () => {
          throw new Error("tuned");
        },
      }),
    }),
  );

describe("a path that the lock file cannot hold", () => {
  it.each([
    ['a quote"', '"\\""'],
    ["a back\\slash", '"\\\\"'],
    ["a line\nbreak", '"\\n"'],
    ["an escape\u001b", '"\\u001b"'],
  ])("%j", async (folder, bad) => {
    const file = `src/${folder}/gemm.op.ts`;
    const said = await refusal(writeApp({ [file]: gemmText() }), file);
    expect(said).toBe(`op.bad-path: ${JSON.stringify(file)} has ${bad}, which the lock file cannot hold
  hint: rename the file or a folder above it`);
  });

  it("too long, with its query", async () => {
    const file = `${Array.from({ length: 5 }, () => "d".repeat(97)).join("/")}/gemm.op.ts`;
    const said = await refusal(writeApp({ [file]: gemmText() }), file);
    expect(said).toContain(`op.bad-path: ${file} is 510 characters long with its query, the most is 500\n  hint: `);
  });

  it("too long a name", async () => {
    const file = `src/${"g".repeat(101)}.op.ts`;
    const said = await refusal(writeApp({ [file]: gemmText() }), file);
    expect(said).toContain(`op.bad-path: the name ${"g".repeat(101)} has 101 characters, the most is 100\n  hint: `);
  });

  it("letters of any script and spaces are no trouble", async () => {
    const file = "src/ein Ordner 漢/gemm.op.ts";
    const root = writeApp({ [file]: gemmText() });
    const { kernel } = await compileIn(root, { request: { opFile: join(root, file) } });
    expect(kernel.origin).toBe("tuned");
  });
});

const manyInputs = (count: number): string => `
import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({}, () => {
  const all = Array.from({ length: ${count} }, (_, i) => tensor("t" + i, [8], "f32"));
  return compute("sum", [8], (i) => all.map((t) => t(i)).reduce((a, b) => a.add(b)));
});
`;

describe("more arrays than an addon takes", () => {
  it("are refused for a native target, at the line of the first that is too many", async () => {
    const root = writeApp({ "src/gemm.op.ts": manyInputs(mostArrays) });
    const said = await refusal(root, "src/gemm.op.ts", { target: "avx2" });
    expect(said).toMatch(
      /^op\.too-many-arrays: src\/gemm\.op\.ts\?tune=avx2 has 65 arrays, an addon takes 64 at most\n {2}\S*gemm\.op\.ts:5:\d+\n {2}hint: /,
    );
  });

  it("are as many as the C sources say", async () => {
    const { readFileSync } = await import("node:fs");
    const header = readFileSync(new URL("../../../../src/native/load/kernel-table.h", import.meta.url), "utf8");
    expect(header).toContain(`#define UK_MAX_ARGUMENTS ${mostArrays}\n`);
  });

  it("are no trouble for WASM", async () => {
    const root = writeApp({ "src/gemm.op.ts": manyInputs(mostArrays) });
    expect((await compileIn(root, { options: { mode: "predict" } })).kernel.tensors).toHaveLength(65);
  });
});

const large = `
import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 700000000 }, ({ N }) => {
  const x = tensor("x", [N], "f32");
  const bias = tensor("bias", [1], "f32");
  return compute("y", [N], (i) => x(i).add(bias(0)));
});
`;

describe("arrays beyond the memory of a WASM module", () => {
  it.each([
    ["wasm", "for WASM"],
    ["avx512", "for a native target, which has a WASM twin"],
  ] as const)("are refused %s", async (target, _) => {
    const said = await refusal(writeApp({ "src/gemm.op.ts": large }), "src/gemm.op.ts", { target });
    expect(said).toMatch(
      /^op\.too-large: the arrays of src\/gemm\.op\.ts\?tune=\w+ take 5\.2 GiB, the memory of a WASM module has 4 GiB at most\n {2}\S*gemm\.op\.ts:4:\d+\n {2}hint: /,
    );
  });

  it("go on without the twin", async () => {
    const root = writeApp({ "src/gemm.op.ts": large });
    const said = await refusal(root, "src/gemm.op.ts", { target: "avx512", fallback: "none" });
    expect(said).toMatch(/^kernel\.bug: src\/gemm\.op\.ts\?tune=avx512: tuned;/);
  });
});
