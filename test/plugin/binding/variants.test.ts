// Modules of kernels with schedules for classes of engines: what is emitted, and which of them answers.

import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import type { EngineClass } from "../../../src/compiler/index.ts";
import type { CompiledKernel, EngineVariant } from "../../../src/plugin/kernel/compiled-kernel.ts";
import { classesOfEngine } from "../../../src/plugin/runtime/engine.ts";
import { moduleInCode } from "../../../src/plugin/runtime/module-text.ts";
import { expected, fakeKernel, inputs, wasmSource } from "../../support/fake-kernel.ts";
import { loadModule, writeModule } from "../../support/load-module.ts";

/** Added to C[0] by the module of a class. */
const marks: Readonly<Record<EngineClass, number>> = { x86: 5000, arm: 6000, "x86-relaxed": 7000, "arm-relaxed": 8000 };
const targets: Readonly<Record<EngineClass, string>> = {
  x86: "wasm-x86",
  arm: "wasm-arm",
  "x86-relaxed": "wasm-x86-relaxed",
  "arm-relaxed": "wasm-arm-relaxed",
};

const variant = (engine: EngineClass): EngineVariant => ({
  engine,
  target: targets[engine],
  twin: { kind: "wasm", modules: [wasmSource(false, marks[engine])], prepare: null },
  trace: "vectorize C.j",
  gflops: engine === "x86" ? 20 : null,
  key: "4567",
  errorBound: 2e-6,
  origin: "predicted",
  measurements: 0,
});
const withVariants = (...engines: readonly EngineClass[]): CompiledKernel =>
  fakeKernel({ variants: engines.map(variant) });

const here = classesOfEngine().at(-1)!;
const elsewhere: EngineClass = here === "x86" ? "arm" : "x86";

describe("a kernel with a schedule for each class of engines", () => {
  it.each([
    ["in the code", true],
    ["in files", false],
  ])("answers with that of this engine, and says so, with its modules %s", async (_, sync) => {
    const blend = await loadModule(withVariants("x86", "arm"), sync ? "node" : "universal", sync);
    const [A, B] = inputs();
    const first = expected("wasm").with(0, 2 + marks[here]);
    expect([...blend(A, B)]).toEqual(first);
    expect([...(await blend.async(A, B))]).toEqual(first);
    const { target, gflops, errorBound, cacheKey, schedule, twin } = blend.info;
    expect({ target, gflops, errorBound, cacheKey, schedule, twin }).toEqual({
      target: targets[here],
      gflops: here === "x86" ? 20 : null,
      errorBound: 2e-6,
      cacheKey: "4567",
      schedule: "vectorize C.j",
      twin: "wasm",
    });
  });

  it("answers with the one for all engines where there is none of this class", async () => {
    const blend = await loadModule(withVariants(elsewhere));
    expect([...blend(...inputs())]).toEqual(expected("wasm"));
    expect(blend.info).toMatchObject({ target: "wasm", gflops: 12.5 });
  });
});

describe("the text of a module", () => {
  const textOf = (kernel: CompiledKernel): string => readFileSync(writeModule(kernel), "utf8");

  it("asks no engine where the kernel has one schedule for all", () => {
    expect(textOf(fakeKernel())).not.toContain("forEngine");
    expect(textOf(fakeKernel({ variants: [] }))).toBe(textOf(fakeKernel()));
  });

  it("has the modules of each class", () => {
    const text = textOf(withVariants("arm"));
    expect(text.match(moduleInCode)).toHaveLength(2);
    expect(text).toContain("import { createKernel, wasm, forEngine } from");
  });

  it("leaves nothing of an import that is not used", async () => {
    const path = writeModule(withVariants("x86", "arm"));
    const contents = `import blend from ${JSON.stringify(path)};\nconsole.log("alone");\n`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: "/" },
      bundle: true,
      format: "esm",
      write: false,
      logLevel: "silent",
      external: ["file://*"],
      // Imports of the runtime are left: it is outside of this bundle, and its package says that it has no effects.
      plugins: [
        {
          name: "no effects",
          setup: ({ onResolve }) =>
            onResolve({ filter: /^file:/ }, ({ path }) => ({ path, external: true, sideEffects: false })),
        },
      ],
    });
    expect(outputFiles[0]!.text).toContain("alone");
    expect(outputFiles[0]!.text).not.toContain("createKernel(");
  });
});
