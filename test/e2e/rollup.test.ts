// Behaviour of Rollup beyond that of all hosts (test/e2e/hosts.test.ts): CommonJS output, watching, several outputs.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RollupWatcher, rollup, watch } from "rollup";
import { describe, expect, it } from "vitest";
import { outputFiles, recordingCompiler, runMoved, settled, writeApp } from "../support/build-app.ts";
import { eventually } from "../support/eventually.ts";
import { expected, fakeKernel } from "../support/fake-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";

const app = () =>
  writeApp({
    "src/main.js": `import blend from "./blend.op.ts?tune=wasm&sync=0";
      console.log(JSON.stringify([...blend(Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1))]));`,
    "src/blend.op.ts": "export default 1;",
  });
const settings = (root: string) => ({ root, logLevel: "silent", mode: "tune" }) as const;

describe("rollup", () => {
  it("writes an ES module and CommonJS from one build", async () => {
    const root = app();
    const plugin = createKernelPlugin(recordingCompiler(fakeKernel()).compile);
    const bundle = await rollup({ input: join(root, "src/main.js"), plugins: [plugin.rollup(settings(root))] });
    const formats = [
      ["es", "main.mjs"],
      ["cjs", "main.cjs"],
    ] as const;
    for (const [format, entry] of formats) {
      await bundle.write({ dir: join(root, "out"), format, entryFileNames: entry });
      expect(outputFiles(root)).toEqual([expect.stringMatching(/^assets\/blend-.*\.wasm$/), entry]);
      expect(runMoved(root, entry)).toEqual(expected("wasm"));
    }
    await bundle.close();
  });

  it("compiles again when the operator changes, and not otherwise", async () => {
    const root = app();
    const { compile, requests } = recordingCompiler(fakeKernel());
    const plugin = createKernelPlugin(compile);
    const watcher: RollupWatcher = watch({
      input: join(root, "src/main.js"),
      output: { dir: join(root, "out"), entryFileNames: "main.mjs" },
      plugins: [plugin.rollup(settings(root))],
    });
    let builds = 0;
    const failures: unknown[] = [];
    watcher.on("event", (event) => {
      if (event.code === "ERROR") failures.push(event.error);
      if (event.code === "BUNDLE_END") void event.result.close();
      if (event.code === "END") builds += 1;
    });
    await eventually(() => expect([builds, failures]).toEqual([1, []]));
    expect(requests).toHaveLength(1);
    await eventually(
      () => {
        // Written again and again: a watcher may start to look only after the end of the first build.
        writeFileSync(join(root, "src/blend.op.ts"), `export default ${performance.now()};`);
        expect([requests.length > 1, builds > 1, failures]).toEqual([true, true, []]);
      },
      { interval: 300 },
    );
    await settled(() => builds);
    await watcher.close();
    expect(runMoved(root)).toEqual(expected("wasm"));
  });
});
