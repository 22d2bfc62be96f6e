// `info.errorBound`: of the algorithm that computes the kernel, kept with the artifact, and of the twin where that is wider.

import { join } from "node:path";
import { expect, test } from "vitest";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import { makeArtifacts } from "../../../../src/plugin/kernel/artifacts/make-artifacts.ts";
import type { CompiledKernel } from "../../../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelContext } from "../../../../src/plugin/kernel/context/kernel-context.ts";
import { scheduleOf } from "../../../../src/plugin/kernel/source/schedule-source.ts";
import { predict } from "../../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { writeApp } from "../../../support/build-app.ts";
import { type CompileCase, compileIn } from "../../../support/compile-app.ts";

const toolchain = (await detectToolchains())[0];

const C = 16;
const app = {
  "src/conv2d.op.ts": `
import { conv2d } from "unplugin-kernel/ops";
export default conv2d({ H: 16, W: 16, C: ${C}, F: 16, padding: 1 });
`,
};

const ulp = 2 ** -23;
const direct = (9 * C + 1) * ulp;
const winograd2 = (Math.ceil((5 / 3) * (C + 10)) + 1) * ulp;
const winograd4 = (Math.ceil((57 / 8) * (C + 30)) + 1) * ulp;

const compileConv = async (root: string, of: CompileCase = {}): Promise<CompiledKernel> => {
  const request = { opFile: join(root, "src/conv2d.op.ts"), ...of.request };
  return (await compileIn(root, { options: { mode: "predict" }, ...of, request })).kernel;
};

test("is that of the predicted algorithm, from the store too, and of the operator as written elsewhere", async () => {
  const root = writeApp(app);
  const made = await compileConv(root);
  expect(made.errorBound).toBe(winograd4);
  const stored = await compileConv(root);
  expect([stored.errorBound, stored.trace]).toEqual([winograd4, made.trace]);
  expect((await compileConv(root, { request: { numerics: "strict" } })).errorBound).toBe(direct);
  expect((await compileConv(root, { options: { mode: "off" } })).errorBound).toBe(direct);
});

test.skipIf(!toolchain)(
  "of an addon is its algorithm's, or its twin's if that is wider (needs gcc or clang)",
  async () => {
    const contexts: KernelContext[] = [];
    const change = (context: KernelContext): Partial<KernelContext> => {
      contexts.push(context);
      return {};
    };
    await compileConv(writeApp(app), { options: { mode: "off" }, request: { target: "avx2" }, change });
    const boundOf = async (algorithm: string | null, fallback: "wasm" | "none"): Promise<number | null> => {
      const context = contexts[0]!;
      const { task } = context;
      const space = generateSpace(task);
      const isOf = (name: string): boolean => (algorithm ? name.startsWith(`${algorithm}:`) : !name.includes(":"));
      const templates = space.templates.filter(({ name }) => isOf(name));
      const schedule = scheduleOf(task, space, predict({ ...space, templates })!);
      const decision = { ...schedule, origin: "predicted", measured: null, measurements: 0, compilerRuns: 0 } as const;
      const { twins, errorBound } = await makeArtifacts(
        { ...context, request: { ...context.request, fallback } },
        decision,
      );
      expect(twins[0]?.kind).toBe("native");
      return errorBound;
    };
    expect(await boundOf(null, "none")).toBe(direct);
    expect(await boundOf("winograd F(2,3)", "none")).toBe(winograd2);
    expect(await boundOf("winograd F(2,3)", "wasm")).toBe(winograd4);
  },
);
