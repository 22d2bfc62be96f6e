// A page that imports kernels, built and minified by esbuild with predicted schedules, and the bytes of what it loads.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Machine } from "../../src/native/machine/machine.ts";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { moduleInCode, moduleOf } from "../../src/plugin/runtime/module-text.ts";
import { writeApp } from "./build-app.ts";
import { createKernelPlugin } from "./kernel-plugin.ts";

export interface PageImports {
  /** The operator files, as expressions of the library, and the query of each import. */
  readonly kernels: readonly (readonly [operator: string, query: string])[];
  /** Text of the page's program that uses `kernels`. */
  readonly use?: string;
  readonly options?: KernelPluginOptions;
}

export interface PageBytes {
  /** Minified code, without the WASM and the WGSL that it holds. */
  readonly code: number;
  /** WASM in the code, decoded. */
  readonly wasm: number;
  /** WGSL in the code. */
  readonly wgsl: number;
  /** The code with all that it holds. */
  readonly script: number;
  /** Files beside the code. */
  readonly files: number;
  /** All, as servers send it. */
  readonly gzip: number;
  readonly brotli: number;
}

const wgsl = /(?<=text:)(["'`])((?:@group|var<)(?:(?!\1).)*)\1/gs;

/** Predicted schedules follow from the caches: those of a machine that does not tell its own, so that the page is the same for all. */
export const machineWithoutCaches: Machine = { platform: "linux-x64", features: [], caches: null, cores: 2 };

export async function pageBytes(
  { kernels, use = "", options = {} }: PageImports,
  on = machineWithoutCaches,
): Promise<PageBytes> {
  const operators = kernels.map(([operator], at) => {
    const [name] = /\w+(?=\()/.exec(operator.replace("withConstants(", ""))!;
    const text = `import { withConstants } from "unplugin-kernel/op";\nimport { ${name} } from "unplugin-kernel/ops";\nexport default ${operator};\n`;
    return [`src/k${at}.op.ts`, text];
  });
  const lines = kernels.map(([, query], at) => `import k${at} from "./k${at}.op.ts?${query}";`);
  const main = `${lines.join("\n")}\nconst kernels = globalThis.kernels = [${kernels.map((_, at) => `k${at}`).join(", ")}];\n${use}\n`;
  const root = writeApp({ "src/main.js": main, ...Object.fromEntries(operators) });
  const { esbuild } = createKernelPlugin((request, services) => compileKernel(request, { ...services, machine: on }));
  const plugin = esbuild({ root, mode: "predict", logLevel: "silent", ...options });
  await build({
    absWorkingDir: root,
    entryPoints: ["src/main.js"],
    outdir: "out",
    bundle: true,
    format: "esm",
    minify: true,
    plugins: [plugin],
  });
  const out = join(root, "out");
  const text = readFileSync(join(out, "main.js"), "utf8");
  const others = readdirSync(out).filter((name) => name !== "main.js");
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const sent = [text, ...others.map((name) => readFileSync(join(out, name)))];
  return {
    code: text.replaceAll(moduleInCode, 'text:"').replaceAll(wgsl, '""').length,
    wasm: sum([...text.matchAll(moduleInCode)].map(([, own]) => moduleOf(own!).length)),
    wgsl: sum([...text.matchAll(wgsl)].map(([, , own]) => own!.length)),
    script: text.length,
    files: sum(others.map((name) => statSync(join(out, name)).size)),
    gzip: sum(sent.map((part) => gzipSync(part).length)),
    brotli: sum(sent.map((part) => brotliCompressSync(part).length)),
  };
}
