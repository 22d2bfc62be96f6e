// Runs in Bun: builds an app with the plugin around a kernel that is given, and prints what the plugin was asked for.
//
//     bun test/tools/bun-build.ts <root> <file with the kernel> [options of the build, and of the plugin, as JSON]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KernelRequest } from "../../src/plugin/kernel/compiled-kernel.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";
import { kernelFromJson } from "./kernel-json.ts";

interface BuildOutput {
  readonly success: boolean;
  readonly logs: readonly { readonly message: string }[];
}
declare const Bun: { build(options: object): Promise<BuildOutput> };

const [root = "", kernelFile = "", more = "{}"] = process.argv.slice(2);
const { options, ...config } = JSON.parse(more) as { readonly options?: object };
const kernel = kernelFromJson(readFileSync(kernelFile, "utf8"));
const requests: KernelRequest[] = [];
const plugin = createKernelPlugin(async (request) => {
  requests.push(request);
  return { ...kernel, watchFiles: [request.opFile] };
});
try {
  const { success, logs } = await Bun.build({
    entrypoints: [join(root, "src/main.js")],
    outdir: join(root, "out"),
    naming: "[dir]/[name].mjs",
    target: "node",
    throw: false,
    ...config,
    plugins: [plugin.bun({ root, dts: true, logLevel: "silent", mode: "tune", ...options })],
  });
  const errors = success ? [] : logs.map(({ message }) => message);
  console.log(JSON.stringify({ requests, errors }));
} catch (error) {
  console.log(JSON.stringify({ requests, errors: [String(error)] }));
}
