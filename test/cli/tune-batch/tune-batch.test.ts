// `tune --batch`: candidates are compiled on a machine without a GPU, measured by the folder's own program where there is one, and their
// results decide at home. Driver and compiler are those for tests.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type FakeCuda, makeFakeCuda, noFakeGpu } from "../../support/cuda.ts";
import { inTurn } from "../../support/long.ts";
import { gemm, type Run, runCliWith, writeProject } from "../project.ts";

const turn = inTurn(8);

const without = noFakeGpu ? ` (${noFakeGpu})` : "";
let fake: FakeCuda;
beforeAll(() => {
  if (noFakeGpu === null) fake = makeFakeCuda();
});

const name = "src/gemm.op.ts?tune=cuda-sm90";
const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts":
    'import gemm from "./gemm.op.ts?tune=cuda-sm90";\nimport other from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm, other);\n',
};

/** The command at home, where there is a compiler and no GPU. */
const tune = (root: string, ...args: readonly string[]): Run =>
  runCliWith(
    { UNPLUGIN_KERNEL_NVRTC: fake.nvrtc, UNPLUGIN_KERNEL_CUDA: "/nowhere" },
    root,
    ...["tune", "--batch", "batch", "--seconds", "600", ...args],
  );

/** Copies the folder to another machine, runs its program there, and copies it back. */
function carry(root: string, env: NodeJS.ProcessEnv = { UNPLUGIN_KERNEL_CUDA: fake.driver }): Run {
  const there = join(mkdtempSync(join(tmpdir(), "there-")), "folder");
  cpSync(join(root, "batch"), there, { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, ["measure.mjs"], {
    cwd: there,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  cpSync(there, join(root, "batch"), { recursive: true });
  return { exitCode: status, output: stdout, errors: stderr };
}

interface Row {
  readonly kernel: string;
  readonly origin: string;
  readonly measured: number;
  readonly carried: number;
  readonly error: string | null;
}

const rowsOf = ({ output }: Run): readonly Row[] => JSON.parse(output).kernels;
const lockOf = (root: string) => JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels;
const kernelFolder = (root: string): string => {
  const [only] = readdirSync(join(root, "batch/kernels"));
  return join(root, "batch/kernels", only!);
};

describe.skipIf(noFakeGpu !== null)(`tune --batch${without}`, () => {
  test("locks what another machine measured, and goes on from there", () => {
    const root = writeProject(files);
    const first = tune(root, "--trials", "4", "--json");
    expect(first).toEqual({ exitCode: 0, output: expect.any(String), errors: expect.any(String) });
    expect(rowsOf(first)).toEqual([
      { kernel: name, origin: "predicted", gflops: null, measured: 0, carried: 4, error: null },
    ]);
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);

    expect(rowsOf(tune(root, "--json"))).toMatchObject([{ origin: "waiting", measured: 0, carried: 4 }]);

    expect(carry(root)).toEqual({
      exitCode: 0,
      output: expect.stringMatching(/^src\/gemm\.op\.ts\?tune=cuda-sm90: 4 of 4 ran, the best in \d+\.\d{3} ms\n$/),
      errors: "",
    });
    const back = tune(root, "--trials", "3", "--json");
    expect(rowsOf(back)).toEqual([
      { kernel: name, origin: "tuned", gflops: expect.any(Number), measured: 4, carried: 4, error: null },
    ]);
    const { measured, target } = lockOf(root)[name];
    expect(target.name).toBe("cuda-sm90");
    expect(measured).toMatchObject({ toolchain: "NVRTC 13.0, on Fake GPU 0", trials: 4 });

    expect(carry(root).output).toContain("4 of 4 ran");
    const again = rowsOf(tune(root, "--trials", "2", "--json"));
    // The best one was measured again, and has its time already.
    expect(again).toMatchObject([{ origin: "tuned", measured: 3, carried: 3 }]);
    expect(lockOf(root)[name].measured.trials).toBe(7);
  });

  turn("counts candidates that fail there as failed, and is told of it once", () => {
    const root = writeProject(files);
    tune(root, "--trials", "3");
    const path = join(kernelFolder(root), "code.json");
    const code = JSON.parse(readFileSync(path, "utf8"));
    code.code[1].code = [{ base64: Buffer.from("no machine code").toString("base64") }];
    writeFileSync(path, JSON.stringify(code));
    expect(carry(root).output).toContain("2 of 3 ran");
    expect(carry(root).output).toBe(`${name}: measured before\n`);
    expect(rowsOf(tune(root, "--trials", "1", "--json"))).toMatchObject([{ origin: "tuned", measured: 3 }]);
    expect(lockOf(root)[name].measured.trials).toBe(3);
  });

  turn("has others measured where none has run", () => {
    const root = writeProject(files);
    tune(root, "--trials", "1");
    const path = join(kernelFolder(root), "code.json");
    const code = JSON.parse(readFileSync(path, "utf8"));
    code.code[0].code = [{ base64: "" }];
    writeFileSync(path, JSON.stringify(code));
    expect(carry(root).output).toContain("0 of 1 ran");
    const run = tune(root, "--trials", "2", "--json");
    expect([run.exitCode, rowsOf(run)]).toEqual([
      1,
      [expect.objectContaining({ origin: "failed", measured: 1, carried: 2 })],
    ]);
    expect(carry(root).output).toContain("2 of 2 ran");
    expect(rowsOf(tune(root, "--trials", "1", "--json"))).toMatchObject([{ origin: "tuned", measured: 2 }]);
  });

  turn("says there why nothing can be measured, and measures nothing", () => {
    const root = writeProject(files);
    const noGpu = { UNPLUGIN_KERNEL_NVRTC: fake.nvrtc, UNPLUGIN_KERNEL_CUDA: "/nowhere" };
    const { output, errors } = runCliWith(noGpu, root, "tune", "src/gemm.op.ts", "--trials", "1");
    expect(output + errors).toMatch(
      /there is no CUDA driver.*not measured\. Another machine can measure it: .* --batch/,
    );
    tune(root, "--trials", "1");
    expect(carry(root, { UNPLUGIN_KERNEL_CUDA: "/nowhere" })).toEqual({
      exitCode: 1,
      output: "",
      errors: expect.stringMatching(/^nothing was measured: there is no CUDA driver/),
    });
    const older = carry(root, { UNPLUGIN_KERNEL_CUDA: fake.driver, FAKE_CUDA_CAPABILITY: "89" });
    expect(older).toEqual({
      exitCode: 1,
      output: "",
      errors: expect.stringMatching(
        /is not measured: Fake GPU 0 has compute capability 8\.9, and the kernel is for 9\.0 alone\n$/,
      ),
    });
    expect(rowsOf(tune(root, "--json"))).toMatchObject([{ origin: "waiting", carried: 1 }]);
  });

  turn("measures nothing of what was damaged on the way, and writes it again at home", () => {
    const root = writeProject(files);
    tune(root, "--trials", "1");
    for (const [file, text, words] of [
      ["kernel.json", "{", "it has no batch"],
      ["batch.json", "{}", "it has no batch"],
      ["code.json", "[", "JSON"],
      ["input-1.bin", "short", "B has 5 bytes of 1024"],
    ] as const) {
      writeFileSync(join(kernelFolder(root), file), text);
      const { errors, ...there } = carry(root);
      expect(there).toEqual({ exitCode: 1, output: "" });
      expect(errors).toMatch(/ is not measured: it is damaged \(.*\): .* --again/);
      expect(errors).toContain(words);
      expect(rowsOf(tune(root, "--again", "--trials", "1", "--json"))).toMatchObject([{ measured: 0, carried: 1 }]);
    }
    expect(carry(root).output).toContain("1 of 1 ran");
  });

  turn("takes no results that are damaged, or of another batch or operator", () => {
    const root = writeProject(files);
    tune(root, "--trials", "1");
    const folder = kernelFolder(root);
    const unmeasured = readFileSync(join(folder, "batch.json"), "utf8");
    carry(root);
    const results = readFileSync(join(folder, "results.json"), "utf8");
    const refused = (text: string): void => {
      writeFileSync(join(folder, "results.json"), text);
      const run = tune(root, "--json");
      expect([run.exitCode, rowsOf(run)[0]!.error]).toEqual([1, expect.stringContaining("results.json is not used: ")]);
      expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
    };
    for (const text of ["", "{", results.slice(0, -20), results.replace(/"minNs": \d/, '"minNs": 0'), "null"])
      refused(text);
    // The decisions of another batch, which were never measured.
    writeFileSync(join(folder, "results.json"), results);
    const changed = JSON.parse(unmeasured);
    changed.body.inputSeed = 2;
    writeFileSync(join(folder, "batch.json"), JSON.stringify(changed));
    expect(rowsOf(tune(root, "--trials", "1", "--json"))).toMatchObject([
      { origin: "predicted", measured: 0, carried: 1 },
    ]);
    // An operator that has changed is another one, and nobody should measure what it was.
    carry(root);
    const before = kernelFolder(root);
    writeFileSync(join(root, "src/gemm.op.ts"), gemm.replace("M: 16", "M: 32"));
    expect(rowsOf(tune(root, "--trials", "1", "--json"))).toMatchObject([
      { origin: "predicted", measured: 0, carried: 1 },
    ]);
    expect(kernelFolder(root)).not.toBe(before);
    expect(readdirSync(join(root, "batch/kernels"))).toHaveLength(1);
  });

  turn("goes on in a folder that a killed process has left half written", () => {
    const root = writeProject(files);
    tune(root, "--trials", "1");
    renameSync(kernelFolder(root), `${kernelFolder(root)}.new`);
    rmSync(join(root, "batch/measure.mjs"));
    expect(rowsOf(tune(root, "--trials", "1", "--json"))).toMatchObject([{ origin: "predicted", carried: 1 }]);
    expect(carry(root).output).toContain("1 of 1 ran");
  });

  turn("carries what prepares constants, and tensors of two-byte elements", () => {
    const root = writeProject({
      ...files,
      "src/gemm.op.ts": `import { withConstants } from "unplugin-kernel/op"; import { gemm } from "unplugin-kernel/ops";
export default withConstants(gemm({ M: 20, N: 24, K: 40, dtype: "bf16" }), "B");\n`,
    });
    expect(rowsOf(tune(root, "--trials", "12", "--json"))).toMatchObject([{ origin: "predicted", carried: 12 }]);
    const { code } = JSON.parse(readFileSync(join(kernelFolder(root), "code.json"), "utf8"));
    expect(code.filter(({ preparation }: { preparation?: unknown }) => preparation)).not.toEqual([]);
    expect(carry(root).output).toContain("12 of 12 ran");
    expect(rowsOf(tune(root, "--trials", "1", "--json"))).toMatchObject([{ origin: "tuned", measured: 12 }]);
  });

  turn("refuses folders with other files, projects without a kernel for such GPUs, and other places to measure", () => {
    const root = writeProject({ ...files, "src/gemm.op.ts": gemm });
    const errorOf = (run: Run): unknown => [run.exitCode, run.errors];
    const refused = (run: Run, words: string): void =>
      expect(errorOf(run)).toEqual([2, expect.stringContaining(words)]);
    refused(runCliWith({}, root, "tune", "--batch", "src"), "src is no folder, or has other files");
    refused(runCliWith({}, root, "tune", "--batch", "src/main.ts"), "src/main.ts");
    refused(runCliWith({}, root, "tune", "--batch", "batch", "--browser"), "--batch is given with --browser");
    refused(runCliWith({}, root, "tune", "--batch", "batch", "--all-targets"), "--batch is given with --all-targets");
    writeFileSync(join(root, "src/main.ts"), 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n');
    refused(runCliWith({}, root, "tune", "--batch", "batch"), "no kernel here is for NVIDIA's GPUs");
    expect(existsSync(join(root, "batch"))).toBe(false);
  });
});
