// The plugin for Windows: a bundle that is built here with option `platforms` answers there by its addons, which tell what the CPU has and share
// one set of threads, and by WASM where an addon cannot be used.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { targets } from "../../src/compiler/index.ts";
import { lackOf, project } from "../native/compiled.ts";
import { bundleApp, linkedApp } from "../support/bundled-app.ts";
import { readPortableExecutable } from "../support/portable-executable.ts";
import { runWineNode, wineSkipNote, wineSkipReason } from "./wine-node.ts";

/** Report of a bundle on a kernel: who answers, whether all calls are right, how many threads its first call started. */
interface Answer {
  readonly twin: string;
  readonly twinReason: string | null;
  readonly isRight: boolean;
  readonly started: number;
}

type Answers = Readonly<Record<"avx2" | "avx512" | "shared" | "relu", Answer>>;

const operator = (epilogue: string): string => `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 256, N: 256, K: 256 }, ${epilogue});
`;

/** Sums of whole numbers, which f32 holds. The last argument is the number by which Linux knows the process. */
const main = `import { readFileSync } from "node:fs";
import avx2 from "./gemm.op.ts?tune=avx2";
import avx512 from "./gemm.op.ts?tune=avx512";
import shared from "./gemm.op.ts?tune=avx2&threads=2";
import relu from "./relu.op.ts?tune=avx2&threads=2";

const size = 256;
const A = Float32Array.from({ length: size * size }, (_, at) => ((at * 7) % 23) - 11);
const B = Float32Array.from({ length: size * size }, (_, at) => ((at * 5) % 17) - 8);
const sums = new Float32Array(size * size).map((_, at) => {
  let sum = 0;
  for (let k = 0; k < size; k++) sum += A[at - (at % size) + k] * B[k * size + (at % size)];
  return sum;
});
const threads = () =>
  Number(/^Threads:\\s*(\\d+)$/m.exec(readFileSync("/proc/" + process.argv.at(-1) + "/status", "utf8"))[1]);

const answers = {};
for (const [name, kernel] of Object.entries({ avx2, avx512, shared, relu })) {
  const before = threads();
  const results = [kernel(A, B)];
  const started = threads() - before;
  results.push(await kernel.async(A, B), kernel(A, B));
  const expected = name === "relu" ? sums.map((sum) => Math.max(sum, 0)) : sums;
  const isRight = results.every((C) => C.length === expected.length && C.every((value, at) => value === expected[at]));
  const { twin, twinReason } = kernel.info;
  answers[name] = { twin, twinReason, isRight, started };
}
console.log(JSON.stringify(answers));
`;

function builtApp(): Promise<string> {
  const files = { "main.js": main, "gemm.op.ts": operator("{}"), "relu.op.ts": operator('{ activation: "relu" }') };
  const root = linkedApp(files, { "@zigc": join(project, "node_modules/@zigc") });
  return bundleApp(root, { mode: "predict", platforms: ["win32-x64"] });
}

const addonsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".node"))
    .map((name) => join(folder, name));

async function answersOf(bundle: string): Promise<Answers> {
  const { stdout, stderr } = await runWineNode(["main.js"], bundle);
  return JSON.parse(stdout || stderr);
}

describe.skipIf(wineSkipReason)(`a bundle for Windows, under Wine${wineSkipNote}`, () => {
  let bundle = "";
  beforeAll(async () => {
    bundle = await builtApp();
  });

  /** Answer of a copy of the bundle after a change. */
  async function answersAfter(change: (copy: string) => void): Promise<readonly Answer[]> {
    const copy = mkdtempSync(join(tmpdir(), "bundle-"));
    cpSync(bundle, copy, { recursive: true });
    change(copy);
    return Object.values(await answersOf(copy));
  }

  test("has an addon for each kernel", () => {
    const addons = addonsIn(bundle).map((path) => readPortableExecutable(readFileSync(path)));
    expect(addons.map(({ processor }) => processor)).toEqual(["x64", "x64", "x64", "x64"]);
  });

  test("answers natively, and its addons share one set of threads", async () => {
    const answers = await answersOf(bundle);
    const native = { twin: "native", twinReason: null, isRight: true };
    expect(answers.avx2).toEqual({ ...native, started: 0 });
    expect(answers.shared).toEqual({ ...native, started: 1 });
    expect(answers.relu).toEqual({ ...native, started: 0 });
    const lack = lackOf(targets.avx512);
    if (lack === null) expect(answers.avx512).toEqual({ ...native, started: 0 });
    else expect(answers.avx512).toMatchObject({ twin: "wasm", isRight: true });
  });

  test("answers by WASM where the CPU lacks what an addon wants, as the addon says", async () => {
    const answers = await answersAfter((copy) => {
      const path = join(copy, "main.js");
      writeFileSync(path, readFileSync(path, "utf8").replaceAll('features: ["avx"', 'features: ["avx9", "avx"'));
    });
    for (const answer of answers) {
      expect(answer).toMatchObject({ twin: "wasm", isRight: true });
      expect(answer.twinReason).toMatch(/^the CPU lacks avx9/);
    }
  });

  test.each([
    ["is missing", (path: string) => rmSync(path)],
    ["is no library", (path: string) => writeFileSync(path, "MZ")],
    ["is cut off", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 3000))],
  ])("answers by WASM where the file of an addon %s", async (_, damage) => {
    const answers = await answersAfter((copy) => addonsIn(copy).forEach(damage));
    for (const answer of answers) {
      expect(answer).toMatchObject({ twin: "wasm", isRight: true });
      expect(answer.twinReason).toContain("the addon cannot be loaded: ");
    }
  });

  test("answers by WASM here", () => {
    const program = [join(bundle, "main.js"), String(process.pid)];
    const answers: Answers = JSON.parse(execFileSync(process.execPath, program, { encoding: "utf8" }));
    for (const { isRight, twinReason } of Object.values(answers)) {
      expect(isRight).toBe(true);
      expect(twinReason).toContain("the addon is built for win32-x64, this is linux-x64");
    }
  });
});
