// What was just built: loaded and run once in a process of its own before anything keeps or ships it.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { blobsAt } from "../../../../src/tuner/store/blobs.ts";
import { openStore } from "../../../../src/tuner/store/store.ts";
import { storedItems } from "../../../../src/tuner/store/store-contents.ts";
import { skipReason } from "../../../native/compiled.ts";
import { writeApp } from "../../../support/build-app.ts";
import { type CompileCase, compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { nativeOf, wasmOf } from "../../../support/parts-of.ts";
import { gcc, plantCompiler } from "../artifacts/plant-compiler.ts";

const turn = inTurn(7);

const noGcc = gcc ? "" : ` (${skipReason ?? "no gcc"})`;
afterEach(() => void vi.unstubAllEnvs());

const native = (root: string, { request, ...more }: CompileCase = {}) =>
  compileIn(root, { request: { target: "avx2", ...request }, options: { mode: "predict" }, ...more });

const addonsIn = async (root: string) =>
  (await storedItems(join(root, "store"))).filter(({ roles }) => roles.includes("addon"));

describe.skipIf(!gcc)(`a compiler that exits with 0${noGcc}`, () => {
  const rubbish: readonly [string, string, string][] = [
    ["and has written rubbish", 'printf rubbish > "$out"', "cannot be loaded: "],
    [
      "and has written a library that is no addon of kernels",
      `echo 'int nothing;' > nothing.c; exec ${gcc} -shared -fPIC nothing.c -o "$out"`,
      "cannot be loaded: ",
    ],
    [
      "and has written an addon that crashes when it is loaded",
      `echo '__attribute__((constructor)) static void crash(void) { __builtin_trap(); }' > crash.c
exec ${gcc} "$@" crash.c`,
      "crashes: ",
    ],
  ];
  turn.each(rubbish)("%s costs a warning, and the WASM twin is shipped", async (_, script, why) => {
    plantCompiler(script);
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const { kernel, warnings } = await native(root);
    expect(nativeOf(kernel)).toBeNull();
    expect(wasmOf(kernel)).not.toBeNull();
    expect(warnings).toEqual([expect.stringContaining(`built an addon that ${why}`)]);
    expect(warnings[0]).toMatch(/; the WASM twin runs instead \(repair it, /);
    expect(await addonsIn(root)).toEqual([]);
    expect(existsSync(join(root, "store/addons"))).toBe(false);
  });

  turn("and has written rubbish is an error with fallback=none", async () => {
    plantCompiler('printf rubbish > "$out"');
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    await expect(native(root, { request: { fallback: "none" } })).rejects.toThrow(
      /^compiler\.broken: the C compiler gcc .+ built an addon that cannot be loaded: /,
    );
    expect(await addonsIn(root)).toEqual([]);
  });

  turn("and has made other code of a right source is an error, and nothing is kept", async () => {
    plantCompiler(`sed -i 's/ + (load_/ - (load_/' kernels.c
exec ${gcc} "$@"`);
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    await expect(native(root)).rejects.toThrow(/^verify\.wrong: src\/gemm\.op\.ts\?tune=avx2: its addon: /);
    expect(await addonsIn(root)).toEqual([]);
  });

  turn("and has made what its target's CPU runs is not run where the CPU cannot", async () => {
    plantCompiler('printf rubbish > "$out"');
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const change: CompileCase["change"] = () => ({ whyNotHere: "this CPU has no fma" });
    expect(nativeOf((await native(root, { change })).kernel)).not.toBeNull();
  });
});

turn.skipIf(!gcc)(`a right addon is kept, and found again${noGcc}`, async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const { kernel, warnings } = await native(root);
  expect([nativeOf(kernel) !== null, kernel.compilerRuns, warnings]).toEqual([true, 1, []]);
  expect(await addonsIn(root)).toHaveLength(1);
  expect(readdirSync(join(root, "store/addons"))).toHaveLength(1);
  expect((await native(root)).kernel).toMatchObject({ compilerRuns: 0, twins: kernel.twins });
});

describe("a frozen build of a kernel for WASM that the store does not have", () => {
  let root = "";
  beforeAll(async () => {
    root = writeApp({ "src/gemm.op.ts": gemmText() });
    await compileIn(root);
  });

  test("runs it, and keeps it", async () => {
    rmSync(join(root, "store"), { recursive: true, force: true });
    const { kernel, warnings } = await compileIn(root, { options: { mode: "frozen" } });
    expect([wasmOf(kernel) !== null, warnings]).toEqual([true, []]);
    const items = await storedItems(join(root, "store"));
    expect(items.filter(({ roles }) => roles.includes("wasm"))).toHaveLength(1);
  });

  turn("is an error where it computes something else, and nothing is kept", async () => {
    rmSync(join(root, "store"), { recursive: true, force: true });
    // As if the encoder had made wrong code: the right answers are others.
    vi.doMock("../../../../src/tuner/workbench/reference.ts", async (original) => {
      const real = await original<typeof import("../../../../src/tuner/workbench/reference.ts")>();
      const wrong: typeof real.referenceOf = (task) => {
        const { task: run } = real.referenceOf(task);
        const expected = run.expected.map((one) => ({
          ...one,
          values: one.values.map(() => 12345) as typeof one.values,
        }));
        return { task: { ...run, expected }, conditioned: () => null };
      };
      return { ...real, referenceOf: wrong };
    });
    vi.resetModules();
    const fresh = await import("../../../support/compile-app.ts");
    await expect(fresh.compileIn(root, { options: { mode: "frozen" } })).rejects.toThrow(
      /^verify\.wrong: src\/gemm\.op\.ts\?tune=wasm: its WASM module: /,
    );
    vi.doUnmock("../../../../src/tuner/workbench/reference.ts");
    vi.resetModules();
    const items = await storedItems(join(root, "store"));
    expect(items.filter(({ roles }) => roles.includes("wasm"))).toEqual([]);
  });
});

turn("facts of ours that are no JSON are a miss, and are replaced", async () => {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  const { kernel } = await compileIn(root, { options: { mode: "predict" } });
  const store = openStore(join(root, "store"));
  const [item] = (await storedItems(join(root, "store"))).filter(({ roles }) => roles.includes("wasm"));
  const blobs = (await blobsAt(store, item!.key))!;
  const { putBlobs, textBlob } = await import("../../../../src/tuner/store/blobs.ts");
  await putBlobs(store, item!.key, { ...blobs, facts: textBlob("{ no JSON") });
  expect(wasmOf((await compileIn(root, { options: { mode: "predict" } })).kernel)!.bytes).toEqual(
    wasmOf(kernel)!.bytes,
  );
  expect((await blobsAt(store, item!.key))!.facts).toEqual(blobs.facts);
});
