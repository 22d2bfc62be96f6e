// The question that a module asks its engine, and the choice among schedules for classes of engines. Its answer on ARM is in
// test/arm/engines.test.ts.

import { afterEach, expect, test, vi } from "vitest";
import type { EngineFacts, KernelFacts } from "../../../src/plugin/runtime/facts.ts";

/** The file anew, as a page has it that has not asked yet. */
async function fresh() {
  vi.resetModules();
  return import("../../../src/plugin/runtime/engine.ts");
}
afterEach(() => vi.unstubAllGlobals());

const facts = { op: "blend", target: "wasm", gflops: 1, wasm: "for all" } as unknown as KernelFacts;
const own = (target: string): EngineFacts => ({ target, gflops: null, wasm: target }) as unknown as EngineFacts;

const processors = process.arch === "x64" ? "x86" : "arm";
/** The module that asks for relaxed SIMD is the one that is validated and never made. */
function withRelaxedSimd(isThere: boolean): void {
  const { Module, Instance } = WebAssembly;
  vi.stubGlobal("WebAssembly", { Module, Instance, validate: () => isThere });
}

test("an engine on x64 is of class x86, one on ARM of class arm, and those with relaxed SIMD of the classes of such first", async () => {
  withRelaxedSimd(false);
  expect((await fresh()).classesOfEngine()).toEqual([processors]);
  withRelaxedSimd(true);
  expect((await fresh()).classesOfEngine()).toEqual([`${processors}-relaxed`, processors]);
});

test("an engine with relaxed SIMD takes what is made for it, else what is made for all of its processors", async () => {
  withRelaxedSimd(true);
  const { forEngine } = await fresh();
  const [plain, relaxed] = [own("plain"), own("relaxed")];
  const all = { [processors]: plain, [`${processors}-relaxed`]: relaxed };
  expect(forEngine(facts, all)).toEqual({ ...facts, ...relaxed });
  expect(forEngine(facts, { [processors]: plain })).toEqual({ ...facts, ...plain });
});

test("an engine is asked once, however many kernels there are", async () => {
  const { classesOfEngine, forEngine } = await fresh();
  const instances = vi.spyOn(WebAssembly, "Instance");
  const classes = [classesOfEngine(), classesOfEngine()];
  forEngine(facts, {});
  expect(classes[0]).toBe(classes[1]);
  expect(instances).toHaveBeenCalledTimes(1);
  instances.mockRestore();
});

test("the facts of the engine's class take the place of a kernel's own, and no others", async () => {
  const { classesOfEngine, forEngine } = await fresh();
  const here = classesOfEngine().at(-1)!;
  const elsewhere = here === "x86" ? "arm" : "x86";
  expect(forEngine(facts, { [here]: own("here"), [elsewhere]: own("elsewhere") })).toEqual({
    ...facts,
    ...own("here"),
  });
  expect(forEngine(facts, { [elsewhere]: own("elsewhere") })).toEqual(facts);
});

test("a page that may not run WASM loads, with the facts for all engines", async () => {
  const { classesOfEngine, forEngine } = await fresh();
  const refuse = (): never => {
    throw new WebAssembly.CompileError("refused by the page's policy");
  };
  vi.stubGlobal("WebAssembly", { ...WebAssembly, Module: refuse });
  expect(classesOfEngine()).toEqual([]);
  expect(forEngine(facts, { x86: own("x86"), arm: own("arm") })).toBe(facts);
});
