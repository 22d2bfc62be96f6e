// Imports with ?tune=cuda-… from end to end on the GPU of this machine: `npm run gpu-imports`. It builds a program with kernels of each kind, predicted
// and so without a GPU, runs it, and prints what it says: whether results are right, who answers and why, times of calls and of a chain. What runs
// is dist/test/gpu-imports/main.mjs and koffi, which may be carried to a machine that has nothing but Node and a driver.
//
//   node test/run-typescript.js gpu-imports -- [--build-only]

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { packageFile } from "../../src/native/machine/package-file.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { importCases } from "./import-cases.ts";

const { values } = parseArgs({ options: { "build-only": { type: "boolean", default: false } } });

const root = join(packageFile("dist/runtime.js"), "../test/gpu-imports");
mkdirSync(root, { recursive: true });
for (const [at, { op }] of importCases.entries())
  writeFileSync(
    join(root, `k${at}.op.ts`),
    `import { ${op.split("(")[0]} } from "unplugin-kernel/ops";\nexport default ${op};\n`,
  );
writeFileSync(
  join(root, "main.js"),
  `import { checkImports } from ${JSON.stringify(packageFile("test/gpu/import-rows.ts"))};
${importCases.map(({ target }, at) => `import k${at} from "./k${at}.op.ts?tune=${target}";`).join("\n")}
process.exitCode = await checkImports([${importCases.map((_, at) => `k${at}`).join(", ")}]);
process.exit();
`,
);
const outfile = join(root, "main.mjs");
const plugins = [kernelPlugin.esbuild({ root, mode: "predict" })];
await build({ entryPoints: [join(root, "main.js")], outfile, bundle: true, platform: "node", format: "esm", plugins });
console.log(`built: ${outfile}`);
if (!values["build-only"]) process.exitCode = spawnSync(process.execPath, [outfile], { stdio: "inherit" }).status ?? 1;
