// A kernel of which nothing could be measured within its seconds: the predicted schedule, with a warning, and no decision.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { noTime } from "../../../../src/tuner/support/time-limit.ts";
import { createWorkbench, type WorkbenchOptions } from "../../../../src/tuner/workbench/workbench.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, type CompileCase, compileIn, gemmText } from "../../../support/compile-app.ts";

/** Nothing is run in time. */
const slow: CompileCase["change"] = () => ({
  workbench(options: WorkbenchOptions) {
    const inner = createWorkbench(options);
    const measure: typeof inner.measure = (sources) =>
      (async function* () {
        for (const _ of sources) yield noTime("it could not be run in time");
        return undefined;
      })();
    return { ...inner, measure };
  },
});

const warning =
  "nothing could be measured in 20 s: it could not be run in time; it gets the predicted schedule, which was not measured: give it more seconds";

describe("a kernel of which nothing was measured in time", () => {
  it("gets the predicted schedule, is warned of, and is tuned when there is time", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const request = { budget: { seconds: 20, trials: 4 } };
    const { kernel, warnings } = await compileIn(root, { change: slow, request });
    expect(kernel).toMatchObject({ origin: "predicted", measurements: 0, gflops: null });
    expect(warnings).toEqual([`src/gemm.op.ts?tune=wasm: ${warning}`]);
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
    expect((await compileIn(root)).kernel).toMatchObject({ origin: "tuned", measurements: 4 });
  });

  it("decides nothing for its equals", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText(), "src/other.op.ts": gemmText() });
    const tunings = buildTunings();
    await compileIn(root, { change: slow, tunings });
    const other = await compileIn(root, { tunings, request: { opFile: join(root, "src/other.op.ts") } });
    expect(other.kernel.origin).toBe("predicted");
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(false);
  });
});

describe("a kernel that another process tunes", () => {
  const tunedElsewhere =
    (isDecided: boolean): NonNullable<CompileCase["change"]> =>
    ({ services }) => ({
      services: { ...services, background: { tune: async () => isDecided, visit: async () => [] } },
    });

  it("gets the predicted schedule where that process had no time for it", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const { kernel } = await compileIn(root, { change: tunedElsewhere(false) });
    expect(kernel.origin).toBe("predicted");
  });

  it("has changed where its decision is not in the lock", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    await expect(compileIn(root, { change: tunedElsewhere(true) })).rejects.toThrow(
      "kernel.changed: src/gemm.op.ts?tune=wasm: its sources changed while it was tuned",
    );
  });
});
