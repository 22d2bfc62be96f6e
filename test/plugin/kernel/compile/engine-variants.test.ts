// Schedules for classes of engines: measured on processors of their class, locked each by its own name, and built alike on all hosts.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { detectMachine, type Machine } from "../../../../src/native/machine/machine.ts";
import { moduleInCode } from "../../../../src/plugin/binding/module/in-code.ts";
import { runtimePaths } from "../../../../src/plugin/binding/runtime-files.ts";
import type { CompiledKernel } from "../../../../src/plugin/kernel/compiled-kernel.ts";
import { storedDecisions } from "../../../../src/tuner/store/store-contents.ts";
import { writeApp } from "../../../support/build-app.ts";
import { type CompileCase, compileIn, gemmText } from "../../../support/compile-app.ts";
import { suitesInTurn } from "../../../support/long.ts";
import { wasmOf } from "../../../support/parts-of.ts";
import { writePack } from "../../../support/write-pack.ts";

const suite = suitesInTurn(3);

/** Machines as they tell of themselves: what is measured is measured here. */
const machines: Readonly<Record<"x64" | "arm64", Machine>> = {
  x64: { ...detectMachine(), platform: "linux-x64", caches: { l1Bytes: 32_768, l2Bytes: 524_288, l3Bytes: 2 ** 21 } },
  arm64: {
    platform: "linux-arm64",
    features: ["dotprod", "fp16", "neon"],
    caches: { l1Bytes: 131_072, l2Bytes: 3 * 2 ** 20, l3Bytes: 3 * 2 ** 20 },
    cores: 2,
  },
};

const engines = ["x86", "arm"] as const;
const on = (machine: keyof typeof machines, options: CompileCase["options"] = {}): CompileCase => ({
  machine: machines[machine],
  options: { engines, ...options },
});
const app = (): string => writeApp({ "src/gemm.op.ts": gemmText() });
const lockOf = (root: string): Record<string, { target: { name: string }; measured: object | null }> =>
  JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels;
const originsOf = ({ variants = [] }: CompiledKernel) =>
  Object.fromEntries(variants.map(({ engine, origin }) => [engine, origin]));
/** `f32x4.relaxed_madd`, as modules spell it. */
const hasMultiplyAdd = (bytes: Uint8Array): boolean => Buffer.from(bytes).includes(Buffer.of(0xfd, 0x85, 0x02));
const textOf = (kernel: CompiledKernel): string =>
  moduleInCode(kernel, "/src/gemm.op.ts", "browser", { files: runtimePaths() });

suite("a kernel for both classes of engines", () => {
  const root = app();
  test("is measured for the machine's own class, and predicted for the other, which a warning says", async () => {
    const { kernel, warnings } = await compileIn(root, on("x64"));
    expect(kernel.origin).toBe("tuned");
    expect(originsOf(kernel)).toEqual({ x86: "tuned", arm: "predicted" });
    expect(kernel.measurements).toBeGreaterThan(4);
    expect(warnings).toEqual([
      "src/gemm.op.ts?tune=wasm-arm: this CPU is x64, and the target is arm64; it gets the predicted schedule, which was not measured",
    ]);
    expect(Object.keys(lockOf(root))).toEqual(["src/gemm.op.ts?tune=wasm", "src/gemm.op.ts?tune=wasm-x86"]);
  });

  test("is measured for ARM on ARM, and the lock has an entry for each then", async () => {
    const { kernel, warnings } = await compileIn(root, on("arm64"));
    expect(originsOf(kernel)).toEqual({ x86: "lock", arm: "tuned" });
    expect(warnings).toEqual([]);
    const lock = lockOf(root);
    expect(Object.entries(lock).map(([name, { target }]) => [name, target.name])).toEqual(
      ["wasm", "wasm-arm", "wasm-x86"].map((name) => [`src/gemm.op.ts?tune=${name}`, name]),
    );
    expect(Object.values(lock).every(({ measured }) => measured !== null)).toBe(true);
  });

  test("is built from the lock to the same bytes on both", async () => {
    const frozen = { mode: "frozen" } as const;
    const [x64, arm64] = [await compileIn(root, on("x64", frozen)), await compileIn(root, on("arm64", frozen))];
    expect(originsOf(x64.kernel)).toEqual({ x86: "lock", arm: "lock" });
    expect(textOf(arm64.kernel)).toBe(textOf(x64.kernel));
    expect(textOf(x64.kernel)).toContain('target: "wasm-arm"');
  });

  test("has the module for all engines that it has without the option", async () => {
    const plain = await compileIn(root, { machine: machines.x64, options: { mode: "frozen" } });
    const { kernel } = await compileIn(root, on("x64", { mode: "frozen" }));
    expect(plain.kernel.variants).toBeUndefined();
    expect(wasmOf(kernel)).toEqual(wasmOf(plain.kernel));
    expect(textOf(plain.kernel)).not.toContain("forEngine");
  });
});

test("what nobody has measured is predicted alike on both, whatever their caches are", async () => {
  const root = app();
  await compileIn(root, { machine: machines.x64 });
  const frozen = { mode: "frozen" } as const;
  const [x64, arm64] = [await compileIn(root, on("x64", frozen)), await compileIn(root, on("arm64", frozen))];
  expect(originsOf(arm64.kernel)).toEqual({ x86: "same-isa", arm: "predicted" });
  expect(textOf(arm64.kernel)).toBe(textOf(x64.kernel));
  expect(x64.warnings).toEqual([
    "src/gemm.op.ts?tune=wasm-x86 is not in kernels.lock.json; it gets the schedule of src/gemm.op.ts?tune=wasm",
    "src/gemm.op.ts?tune=wasm-arm is not in kernels.lock.json; it gets the predicted schedule",
  ]);
});

suite("a kernel for engines with relaxed SIMD", () => {
  const root = app();
  const relaxed = { engines: ["x86-relaxed", "arm-relaxed"] } as const;
  test("is measured in that form where the processor is of the class, and is that module alone", async () => {
    const { kernel } = await compileIn(root, on("x64", relaxed));
    expect(originsOf(kernel)).toEqual({ "x86-relaxed": "tuned", "arm-relaxed": "predicted" });
    expect(Object.keys(lockOf(root))).toEqual(["src/gemm.op.ts?tune=wasm", "src/gemm.op.ts?tune=wasm-x86-relaxed"]);
    const modules = kernel.variants!.map(({ twin }) => (twin.kind === "wasm" ? twin.modules : []));
    for (const own of modules) expect(own).toMatchObject([{ relaxed: true }]);
    expect(modules.flat().every(({ bytes }) => hasMultiplyAdd(bytes))).toBe(true);
  });

  test("is built from the lock to the same bytes on both, and stays as written where numerics are strict", async () => {
    const frozen = { ...relaxed, mode: "frozen" } as const;
    const [x64, arm64] = [await compileIn(root, on("x64", frozen)), await compileIn(root, on("arm64", frozen))];
    expect(textOf(arm64.kernel)).toBe(textOf(x64.kernel));
    const strict = await compileIn(app(), {
      ...on("x64", { ...relaxed, mode: "predict" }),
      request: { numerics: "strict" },
    });
    const modules = strict.kernel.variants!.flatMap(({ twin }) => (twin.kind === "wasm" ? twin.modules : []));
    expect(modules.map((it) => [it.relaxed, hasMultiplyAdd(it.bytes)])).toEqual([
      [false, false],
      [false, false],
    ]);
  });
});

test("a guess for a dev server and a kernel for a processor have none", async () => {
  const { kernel } = await compileIn(app(), { ...on("x64"), request: { mode: "interim" } });
  expect(kernel.variants).toBeUndefined();
  const own = await compileIn(app(), { ...on("x64", { mode: "predict" }), request: { target: "wasm-arm" } });
  expect(own.kernel).toMatchObject({ target: "wasm-arm", origin: "predicted" });
  expect(own.kernel.variants).toBeUndefined();
});

suite("a decision of a pack for engines on other processors", () => {
  const name = "src/gemm.op.ts?tune=wasm-arm";
  const root = app();
  beforeAll(async () => {
    const tuned = app();
    await compileIn(tuned, on("arm64", { engines: ["arm"] }));
    const decisions = await storedDecisions(join(tuned, "store"));
    writePack(root, { name: "@team/kernels", decisions });
  });

  test("is checked here and locked without a time, which it would have from no such processor", async () => {
    const options = { packs: ["@team/kernels"], engines: ["arm"] } as const;
    const { kernel, warnings } = await compileIn(root, on("x64", options));
    expect(kernel.origin).toBe("pack");
    expect(kernel.variants).toMatchObject([{ engine: "arm", origin: "pack", gflops: null }]);
    expect(warnings).toEqual([]);
    expect(lockOf(root)[name]).toMatchObject({ target: { name: "wasm-arm", l1Bytes: 131_072 }, measured: null });
    const again = await compileIn(root, on("x64", { engines: ["arm"], mode: "frozen" }));
    expect(originsOf(again.kernel)).toEqual({ arm: "lock" });
  });

  test("is refused where it does not lead to its source", async () => {
    rmSync(join(root, "kernels.lock.json"));
    const file = join(root, "node_modules/@team/kernels/decisions.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"source":"[0-9a-f]{4}/g, '"source":"0000'));
    const options = { packs: ["@team/kernels"], engines: ["arm"], cacheDir: "other-store" } as const;
    const { kernel, warnings } = await compileIn(root, on("x64", options));
    expect(originsOf(kernel)).toEqual({ arm: "predicted" });
    expect(warnings.join("\n")).toContain(`${name}: nothing is taken from pack @team/kernels`);
  });
});
