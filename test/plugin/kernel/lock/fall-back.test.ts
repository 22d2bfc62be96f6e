// The ladder of a kernel that the lock does not decide: the same operator for another target of the same ISA, then the prediction, then an
// error that shows what the lock has. What an upgrade of the code generator says, once a build.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { codegenVersion, targets } from "../../../../src/compiler/index.ts";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import { isSameIsa } from "../../../../src/plugin/kernel/lock/same-isa.ts";
import { summarize } from "../../../../src/plugin/session/summary.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, type CompileCase, compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { printedError } from "../../../support/op-file.ts";
import { nativeOf } from "../../../support/parts-of.ts";

const turn = inTurn(5);

const toolchain = (await detectToolchains())[0];
const needsCompiler = toolchain ? "" : " (needs gcc or clang)";

const hint = "hint: run npx unplugin-kernel tune on a machine of your own, and commit kernels.lock.json";
const lockOf = (root: string): string => join(root, "kernels.lock.json");

type Entries = Record<string, Record<string, unknown>>;

/** Edits the entries of a lock. */
function edit(root: string, change: (entries: Entries) => Entries): string {
  const content = JSON.parse(readFileSync(lockOf(root), "utf8"));
  const text = JSON.stringify({ ...content, kernels: change(content.kernels) }, null, 2);
  writeFileSync(lockOf(root), text);
  return text;
}

const frozen: CompileCase = { options: { mode: "frozen" } };
const fallBack: CompileCase = { options: { mode: "frozen", onMiss: "fallback" } };

it("an ISA is the same where vectors are as wide and no instruction is more than is asked for", () => {
  const fits = (own: keyof typeof targets, wanted: keyof typeof targets) => isSameIsa(targets[own], targets[wanted]);
  expect(fits("avx512", "avx512-bf16")).toBe(true);
  expect(fits("avx512-vnni", "amx")).toBe(true);
  expect(fits("avx512-bf16", "avx512")).toBe(false);
  expect(fits("avx2", "avx512")).toBe(false);
  expect(fits("wasm", "avx2")).toBe(false);
  expect(fits("avx2", "wasm")).toBe(false);
  expect(fits("wasm", "wasm-x86")).toBe(true);
  expect(fits("wasm-x86", "wasm")).toBe(false);
  // Its tiles are made for half of the registers.
  expect(fits("wasm", "wasm-arm")).toBe(false);
});

describe("a kernel that the lock has under another name", () => {
  const name = "src/gemm.op.ts?tune=wasm";
  const other = "lib/gemm.op.ts?tune=wasm";

  let lock = "";
  beforeAll(async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    await compileIn(root);
    lock = edit(root, ({ [name]: entry }) => ({ [other]: entry! }));
  });
  const moved = (): string => writeApp({ "src/gemm.op.ts": gemmText(), "kernels.lock.json": lock });

  it("is an error in frozen that shows it, and what would take it", async () => {
    expect(
      await printedError(async () => compileIn(moved(), frozen)),
    ).toBe(`frozen.miss: ${name} is not in kernels.lock.json
kernels.lock.json has of this operator
  ${other}: the same kernel under another name
  ${hint}; or set onMiss: "fallback", which takes that of ${other}`);
  });

  turn("gets its schedule and its measurement where onMiss allows it, with a warning; the lock stays", async () => {
    const root = moved();
    const before = readFileSync(lockOf(root), "utf8");
    const { kernel, warnings } = await compileIn(root, fallBack);
    const { measured } = JSON.parse(before).kernels[other];
    expect(kernel).toMatchObject({ origin: "same-isa", gflops: measured.gflops, measurements: 0, compilerRuns: 0 });
    expect(warnings).toEqual([`${name} is not in kernels.lock.json; it gets the schedule of ${other}`]);
    expect(summarize([kernel], "kernels.lock.json", 1)).toBe(
      "1 kernel from kernels.lock.json for another target of the same ISA, 0 measured, 0 compiler runs, 1 ms",
    );
    expect(readFileSync(lockOf(root), "utf8")).toBe(before);
  });

  turn("is predicted where that entry was edited", async () => {
    const root = moved();
    edit(root, ({ [other]: entry }) => ({ [other]: { ...entry, source: "0".repeat(64) } }));
    const { kernel, warnings } = await compileIn(root, fallBack);
    expect(kernel.origin).toBe("predicted");
    expect(warnings).toEqual([`${name} is not in kernels.lock.json; it gets the predicted schedule`]);
  });

  turn("is tuned in mode tune, where something can be measured", async () => {
    expect((await compileIn(moved())).kernel.origin).toBe("tuned");
  });
});

describe("a kernel for a target of which the lock has a part", () => {
  /** An entry for avx512, made on a machine that need not have it, wherever this runs: predicted, then put into the lock. */
  async function appWithAvx512(): Promise<string> {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const { knownSchedule } = await import("../../../../src/plugin/kernel/decision/known-schedule.ts");
    const { updateLockfile } = await import("../../../../src/tuner/lock/lockfile.ts");
    await compileIn(root, {
      request: { target: "avx512" },
      options: { mode: "predict" },
      change: (context) => {
        locked = knownSchedule(context).then(({ candidate, source, task }) =>
          updateLockfile(
            lockOf(root),
            new Map([
              [
                context.lockName,
                {
                  op: { name: context.op.name, digest: context.opDigest, parameters: context.parameters },
                  target: task.target,
                  numerics: "fast",
                  threads: 1,
                  codegen: codegenVersion,
                  candidate,
                  source,
                  measured: { medianNs: 100, gflops: 20, machine: "another", toolchain: "gcc", trials: 4 },
                },
              ],
            ]),
          ),
        );
        return {};
      },
    });
    await locked;
    return root;
  }
  let locked: Promise<unknown> = Promise.resolve();

  const better = { request: { target: "avx512-bf16" } } as const;
  const without: CompileCase["change"] = () => ({
    whyNotHere: "this CPU has no avx512bf16",
    toolchain: async () => null,
  });

  turn("gets that of the lesser target in frozen, as that target", async () => {
    const root = await appWithAvx512();
    const { kernel, warnings } = await compileIn(root, { ...fallBack, ...better, change: without });
    expect(kernel).toMatchObject({ origin: "same-isa", target: "avx512", gflops: 20 });
    expect(warnings[0]).toBe(
      "src/gemm.op.ts?tune=avx512-bf16 is not in kernels.lock.json; it gets the schedule of src/gemm.op.ts?tune=avx512",
    );
  });

  turn.skipIf(!toolchain)(`gets it in mode tune on a machine that cannot measure it${needsCompiler}`, async () => {
    const root = await appWithAvx512();
    const change: CompileCase["change"] = () => ({ whyNotHere: "this CPU has no avx512bf16" });
    const { kernel, warnings } = await compileIn(root, { ...better, change });
    expect(kernel).toMatchObject({ origin: "same-isa", target: "avx512", measurements: 0 });
    expect(nativeOf(kernel)?.features).toEqual(targets.avx512.features);
    expect(warnings).toEqual([
      "src/gemm.op.ts?tune=avx512-bf16: this CPU has no avx512bf16; it gets the schedule of src/gemm.op.ts?tune=avx512",
    ]);
    expect(Object.keys(JSON.parse(readFileSync(lockOf(root), "utf8")).kernels)).toEqual(["src/gemm.op.ts?tune=avx512"]);
  });

  turn("is an error in frozen that names targets, parameters and stale entries", async () => {
    const root = await appWithAvx512();
    edit(root, (entries) => {
      const [entry] = Object.values(entries);
      const op = entry!.op as object;
      return {
        ...entries,
        "src/gemm.op.ts?M=4&tune=avx512": { ...entry, op: { ...op, digest: "1".repeat(64), parameters: { M: 4 } } },
        "src/gemm.op.ts?threads=2&tune=avx512": { ...entry, threads: 2 },
        "src/other.op.ts?tune=avx512": { ...entry, op: { ...op, digest: "2".repeat(64) } },
      };
    });
    const said = await printedError(() => compileIn(root, { ...frozen, request: { target: "avx2" } }));
    expect(said).toBe(`frozen.miss: src/gemm.op.ts?tune=avx2 is not in kernels.lock.json
kernels.lock.json has of this operator
  src/gemm.op.ts?M=4&tune=avx512: other parameters, another target
  src/gemm.op.ts?threads=2&tune=avx512: it is for 2 threads
  src/gemm.op.ts?tune=avx512: another target
  ${hint}`);
    expect(await printedError(() => compileIn(root, { ...frozen, ...better }))).toContain(
      `  src/gemm.op.ts?tune=avx512: another target of the same ISA\n  ${hint}; or set onMiss: "fallback", which takes that of src/gemm.op.ts?tune=avx512`,
    );
  });
});

describe("after an upgrade of the code generator", () => {
  const names = [16, 24, 32].map((M) => `src/gemm.op.ts?M=${M}&tune=wasm`);
  const kernels: readonly CompileCase["request"][] = [16, 24, 32].map((M) => ({ parameters: { M } }));

  let lock = "";
  beforeAll(async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    for (const request of kernels) await compileIn(root, { request: request! });
    lock = edit(root, (entries) =>
      Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, { ...entry, codegen: "0" }])),
    );
  });
  const upgraded = (): string => writeApp({ "src/gemm.op.ts": gemmText(), "kernels.lock.json": lock });
  const text = `3 kernels in kernels.lock.json were tuned with code generator 0, this is ${codegenVersion}`;

  it("the first error of a frozen build lists all kernels, the others name theirs", async () => {
    const root = upgraded();
    const tunings = buildTunings();
    const errors: string[] = [];
    for (const request of kernels)
      errors.push(await printedError(() => compileIn(root, { ...frozen, request: request!, tunings })));
    expect(errors[0]).toBe(`frozen.miss: ${text}\n${names.map((name) => `  ${name}`).join("\n")}\n  ${hint}`);
    expect(errors[1]).toContain(
      `the entry of ${names[1]} in kernels.lock.json is stale: it was made by code generator 0`,
    );
    expect(errors[2]).toContain(`the entry of ${names[2]} in`);
  });

  turn("one warning of a frozen build with fall-back speaks for all", async () => {
    const root = upgraded();
    const warnings: string[] = [];
    const tunings = buildTunings();
    for (const request of kernels) await compileIn(root, { ...fallBack, request: request!, tunings, warnings });
    expect(warnings).toEqual([`${text}; until then they get the predicted schedule: ${hint.replace("hint: ", "")}`]);
  });

  turn("one line of a tuning build says that they are tuned again", async () => {
    const root = upgraded();
    const lines: string[] = [];
    const tunings = buildTunings();
    for (const request of kernels) {
      const change: CompileCase["change"] = ({ services }) => ({
        services: { ...services, log: { ...services.log, info: (line) => void lines.push(line) } },
      });
      expect((await compileIn(root, { request: request!, tunings, change })).kernel.origin).not.toBe("lock");
    }
    expect(lines).toEqual([`${text}: they are tuned again`]);
  });
});
