// A kernel's module that is loaded again on a dev server, as the server's own environment runs it: the same kernel keeps its function,
// another one gets its own.

import { join } from "node:path";
import { createServer, isRunnableDevEnvironment, type ViteDevServer } from "vite";
import { afterEach, expect, it } from "vitest";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import { writeApp } from "../support/build-app.ts";
import { eventually } from "../support/eventually.ts";
import { expected, fakeKernel, inputs } from "../support/fake-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";

let server: ViteDevServer;
afterEach(() => server.close());

interface Main {
  readonly kernel: ((...arrays: Float32Array[]) => Float32Array) & { readonly info: Readonly<Record<string, unknown>> };
}

/** An app on a server whose kernel is what `kernels` holds at the time; `load` imports it, `reload` has the kernel's module loaded again. */
async function serve(kernels: { now: CompiledKernel }) {
  const root = writeApp({
    "src/main.js": 'import kernel from "./blend.op.ts?tune=wasm";\nexport { kernel };\n',
    "src/blend.op.ts": "export default 1;",
  });
  const plugin = createKernelPlugin(async () => kernels.now).vite({
    logLevel: "silent",
    mode: "off",
    cacheDir: "store",
  });
  server = await createServer({
    root,
    configFile: false,
    logLevel: "silent",
    appType: "custom",
    plugins: [plugin],
    server: { port: 0, host: "localhost" },
  });
  await server.listen();
  const { ssr } = server.environments;
  if (!ssr || !isRunnableDevEnvironment(ssr)) throw new Error("no runnable environment");
  const load = (): Promise<Main> => ssr.runner.import("/src/main.js");
  const reload = async (): Promise<void> => {
    const module = await ssr.moduleGraph.getModuleByUrl("/src/blend.op.ts?tune=wasm");
    expect(module?.id).toBe(`${join(root, "src/blend.op.ts")}?tune=wasm`);
    await ssr.reloadModule(module!);
  };
  return { load, reload };
}

it("another schedule of the same kernel comes through the function that importers have", async () => {
  const kernels = { now: fakeKernel({ trace: "guess" }) };
  const { load, reload } = await serve(kernels);
  const { kernel } = await load();
  kernels.now = fakeKernel({ trace: "measured" });
  await reload();
  await eventually(() => expect(kernel.info.schedule).toBe("measured"));
  expect((await load()).kernel).toBe(kernel);
  expect([...kernel(...inputs())]).toEqual(expected("wasm"));
});

it("another kernel is another function, and the old one goes on as it was", async () => {
  const kernels = { now: fakeKernel({ trace: "of the first" }) };
  const { load, reload } = await serve(kernels);
  const { kernel } = await load();
  kernels.now = fakeKernel({ key: "89abcdef", trace: "of the second" });
  await reload();
  await eventually(async () => expect((await load()).kernel.info.schedule).toBe("of the second"));
  expect((await load()).kernel).not.toBe(kernel);
  expect(kernel.info).toMatchObject({ schedule: "of the first", cacheKey: "0123abcd" });
});
