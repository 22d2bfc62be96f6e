// Texts in naga, the compiler of Firefox and of wgpu, which Deno has.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { WgslSource } from "../../src/compiler/index.ts";
import { packageFile } from "../../src/native/machine/package-file.ts";
import { softwareEnvironment } from "./webgpu.ts";

// Bundled sweeps use it from elsewhere, so the folder is looked for from there upwards.
const deno = join(dirname(packageFile("test/run.js")), "tools/node_modules/.bin/deno");

/** Script of Deno: texts of a file → what is wrong with each; null: nothing. Every `every`th text becomes pipelines, too. */
const script = `
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const answers = [];
  for (const [at, { text, launches }] of JSON.parse(Deno.readTextFileSync(Deno.args[0])).entries()) {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code: text });
    for (const { entry: entryPoint } of at % Number(Deno.args[1]) === 0 ? launches : []) {
      device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
    }
    answers.push((await device.popErrorScope())?.message ?? null);
  }
  console.log(JSON.stringify(answers));
`;

type Text = Pick<WgslSource, "text" | "launches">;

/**
 * Returns what naga says of each text; null: it takes it. It validates each. Pipelines are written as SPIR-V, too, and compiled by the
 * driver, which takes seventy times as long. @throws Error Deno has no WebGPU here, or ends
 */
export function naga(sources: readonly Text[], { every = 1 }: { every?: number } = {}): readonly (string | null)[] {
  const folder = mkdtempSync(join(tmpdir(), "naga-"));
  const [texts, program] = [join(folder, "texts.json"), join(folder, "validate.js")];
  writeFileSync(texts, JSON.stringify(sources.map(({ text, launches }) => ({ text, launches }))));
  writeFileSync(program, script);
  const { stdout, stderr, error } = spawnSync(
    deno,
    ["run", "--allow-read", "--unstable-webgpu", program, texts, `${every}`],
    {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      // Deno looks for the loader of Vulkan drivers itself, which Chromium brings as well.
      env: { ...process.env, ...softwareEnvironment, LD_LIBRARY_PATH: "/usr/lib/chromium", DENO_NO_UPDATE_CHECK: "1" },
    },
  );
  rmSync(folder, { recursive: true, force: true });
  if (!stdout) throw new Error(`Deno gave no answer: ${error?.message ?? stderr}`);
  return JSON.parse(stdout);
}
