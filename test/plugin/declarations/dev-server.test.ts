// Option `dts` in a dev server, which has no end of a build: the types are there at its start, and follow the sources.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type ViteDevServer } from "vite";
import { afterEach, expect, test } from "vitest";
import { recordingCompiler, writeApp } from "../../support/build-app.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeKernel } from "../../support/fake-kernel.ts";
import { createKernelPlugin } from "../../support/kernel-plugin.ts";

let server: ViteDevServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

test("a dev server has types from the start, and of new imports before a page asks for them", async () => {
  const root = writeApp({
    "src/main.js": 'import blend from "./blend.op.ts?tune=wasm"; blend();',
    "src/blend.op.ts": "export default 1;",
  });
  const plugin = createKernelPlugin(recordingCompiler(fakeKernel()).compile).vite({ dts: true, mode: "tune" });
  const address = { port: 0, host: "127.0.0.1" };
  server = await createServer({ root, configFile: false, logLevel: "silent", plugins: [plugin], server: address });
  await server.listen();
  const types = (): string => readFileSync(join(root, "kernel-imports.d.ts"), "utf8");
  await eventually(() => expect(types()).toContain('declare module "*/blend.op.ts?tune=wasm" {'));
  writeFileSync(join(root, "src/new.js"), 'import blend from "./blend.op.ts?M=3&tune=wasm"; blend();');
  await eventually(() => expect(types()).toContain('declare module "*/blend.op.ts?M=3&tune=wasm" {'));
});
