// What a worker loads for a job: an operator file of its own checkout, with the digest that the job names, and nothing else.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import { jobOpener } from "../../../src/plugin/fleet/open-job.ts";
import { encodeTarget } from "../../../src/tuner/data/target-json.ts";
import type { MeasureJob } from "../../../src/tuner/fleet/job.ts";
import { targetOfClass } from "../../../src/tuner/fleet/worker-class.ts";
import { fakeClass, jobOf } from "../../support/fleet/simulated.ts";

const of = fakeClass("a");
const operator = 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 4, N: 8, K: 4 });\n';
/** An operator that leaves a mark in the process that runs it. */
const marking = `globalThis.outsideRan = true;\n${operator}`;

let root: string;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "open-job-"));
  root = join(folder, "checkout");
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(root, "src/own.op.ts"), operator);
  writeFileSync(join(root, "src/other.ts"), marking);
  writeFileSync(join(folder, "outside.op.ts"), marking);
  symlinkSync(join(folder, "outside.op.ts"), join(root, "src/link.op.ts"));
});
afterAll(() => rmSync(join(root, ".."), { recursive: true }));

async function reasonFor(given: Partial<MeasureJob["operator"]>, batch: Partial<MeasureJob["batch"]> = {}) {
  const options = { root, cacheDir: join(root, "store"), accepts: (path: string) => path.endsWith(".op.ts") };
  const job = jobOf(of, []);
  const asked: MeasureJob = {
    ...job,
    operator: { ...job.operator, ...given },
    batch: { ...job.batch, target: encodeTarget(targetOfClass(of, "wasm", 1)!), ...batch },
  };
  const opened = await jobOpener({ options, of, cores: 2 })(asked, new AbortController().signal);
  return opened.kind === "refused" ? opened.reason : opened.kind;
}

test.each([
  ["a link that leads out of it", { file: "src/link.op.ts" }, "src/link.op.ts is no operator file of this checkout"],
  ["a file that is no operator's", { file: "src/other.ts" }, "src/other.ts is no operator file of this checkout"],
  ["a file that is not there", { file: "src/none.op.ts" }, "this checkout has no src/none.op.ts"],
  [
    "an operator with another digest",
    { file: "src/own.op.ts" },
    "src/own.op.ts of this checkout is another operator: bring it to the commit of who tunes",
  ],
])("of its checkout a worker refuses %s", async (_, given, reason) => {
  expect(await reasonFor(given)).toBe(reason);
  expect("outsideRan" in globalThis).toBe(false);
});

test.each([
  ["more threads than it has cores", { threads: 3 }, "it wants 3 threads, this machine has 2 cores"],
  ["another version of the code generator", { codegen: "0" }, /^it is of version 0, this is /],
  [
    "another target than its class has",
    { target: encodeTarget({ ...targets.wasm, l2Bytes: 1 }) },
    "its target is not that of this class of machines",
  ],
])("a worker refuses %s", async (_, batch, reason) => {
  expect(await reasonFor({ file: "src/own.op.ts" }, batch)).toEqual(
    typeof reason === "string" ? reason : expect.stringMatching(reason),
  );
});
