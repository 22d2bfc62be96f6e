// Bundlers by themselves, in pages and in Node.

import { titleOf } from "../page.ts";
import { imports, program, typedCall, untypedCall, vitestOf } from "../program.ts";
import type { Project, Row } from "../row.ts";

const install = "npm install --no-audit --no-fund";
const intoTitle = "((text) => void (document.title = text))";

const webpack: Row = {
  name: "webpack",
  made: "by its maker",
  packages: ["webpack"],
  create: ({ run }) => void run("npx -y create-webpack-app@2.1.0 init . --force"),
  write: ({ append }) => append("src/index.js", `\n${program(intoTitle, untypedCall)}`),
  check: null,
  build: "npm run build",
  answer: (project) => titleOf(project, "dist"),
};

const rspack: Row = {
  name: "rspack",
  made: "by its maker",
  packages: ["@rspack/core", "typescript"],
  create({ run }) {
    run("npx -y create-rspack@2 --dir . --template vanilla-ts --override");
    run(install);
  },
  write({ append, write }) {
    append("src/index.ts", `\n${program(intoTitle.replace("(text)", "(text: string)"))}`);
    // The starter's own import of a style has no type.
    write("src/styles.d.ts", 'declare module "*.css";\n');
  },
  check: "npx tsc",
  build: "npm run build",
  answer: (project) => titleOf(project, "dist"),
};

/** Neither Rollup nor esbuild has a starter: these are the projects of their documentation. */
function createModule({ run, write }: Project, build: string, bundler: string): void {
  write("package.json", JSON.stringify({ name: "app", version: "1.0.0", type: "module", scripts: { build } }, null, 2));
  run(`${install} --save-dev ${bundler}`);
}

const rollup: Row = {
  name: "rollup",
  made: "as its maker would",
  packages: ["rollup"],
  create(project) {
    createModule(project, "rollup --config", "rollup");
    const config = `// rollup.config.mjs\nexport default {\n\tinput: 'src/main.js',\n\toutput: {\n\t\tdir: 'dist',\n\t\tformat: 'es'\n\t}\n};\n`;
    project.write("rollup.config.mjs", config);
    project.write("src/main.js", "export {};\n");
  },
  write: ({ append }) => append("src/main.js", program("console.log", untypedCall)),
  check: null,
  build: "npm run build",
  answer: ({ run }) => run("node dist/main.js"),
};

const esbuild: Row = {
  name: "esbuild",
  made: "as its maker would",
  packages: ["esbuild", "typescript"],
  create(project) {
    createModule(project, "node build.mjs", "esbuild typescript@5");
    project.write(
      "build.mjs",
      `import * as esbuild from 'esbuild'

await esbuild.build({
  entryPoints: ['src/app.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile: 'dist/out.js',
})
`,
    );
    project.write("src/app.ts", "export {};\n");
    const compilerOptions = { target: "es2022", module: "preserve", strict: true, noEmit: true, skipLibCheck: true };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }));
  },
  write: ({ append }) => append("src/app.ts", program("console.log")),
  check: "npx tsc",
  build: "npm run build",
  answer: ({ run }) => run("node dist/out.js"),
};

const rsbuild: Row = {
  name: "rsbuild",
  made: "as its maker would",
  packages: ["@rsbuild/core", "typescript"],
  create({ run, write }) {
    const scripts = { build: "rsbuild build", dev: "rsbuild" };
    write("package.json", JSON.stringify({ name: "app", private: true, type: "module", scripts }, null, 2));
    write("rsbuild.config.ts", 'import { defineConfig } from "@rsbuild/core";\n\nexport default defineConfig({});\n');
    const compilerOptions = {
      lib: ["DOM", "ES2020"],
      target: "ES2020",
      noEmit: true,
      skipLibCheck: true,
      useDefineForClassFields: true,
      module: "ESNext",
      moduleDetection: "force",
      moduleResolution: "bundler",
      verbatimModuleSyntax: true,
      resolveJsonModule: true,
      allowImportingTsExtensions: true,
      noUncheckedSideEffectImports: true,
      strict: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
    };
    write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }, null, 2));
    write("src/index.ts", "export {};\n");
    run(`${install} --save-dev @rsbuild/core typescript@5`);
  },
  write: ({ append }) => append("src/index.ts", program(intoTitle.replace("(text)", "(text: string)"))),
  check: "npx tsc",
  build: "npm run build",
  answer: (project) => titleOf(project, "dist"),
};

/** A library, whose types its builder writes; a program of its own calls it. */
const library = (name: string, config: string, file: string): Row => ({
  name,
  made: "as its maker would",
  packages: [name, "typescript"],
  create(project) {
    createModule(project, name, `${name} typescript@5 @types/node@20 vitest@4`);
    project.write(`${name}.config.ts`, config);
    project.write("src/index.ts", "export {};\n");
    const compilerOptions = {
      target: "esnext",
      module: "preserve",
      moduleDetection: "force",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
      types: ["node"],
    };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }, null, 2));
  },
  write({ write }) {
    write("test/gemm.test.ts", vitestOf("../src/kernels/gemm.op.ts?tune=wasm"));
    write("src/index.ts", `${imports()}\n\nexport function say(): string {\n${typedCall}\n  return said;\n}\n`);
  },
  check: "npx tsc && npx vitest run",
  build: "npm run build",
  answer: ({ run }) => run(`node --input-type=module -e 'console.log((await import("./dist/${file}")).say())'`),
});

const tsup = library(
  "tsup",
  `import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts"],
  format: ["esm", "cjs"],
  dts: true,
});
`,
  "index.js",
);

const tsdown = library(
  "tsdown",
  `import { defineConfig } from "tsdown";

export default defineConfig({
  entry: "src/index.ts",
  dts: true,
});
`,
  "index.mjs",
);

/** Deno runs what a bundler has built: its own loader has no hooks that wait. */
const deno: Row = {
  ...esbuild,
  name: "deno",
  packages: ["deno", "esbuild"],
  create(project) {
    esbuild.create(project);
    project.run(`${install} --save-dev deno`);
  },
  answer: ({ run }) => run("npx deno run -A dist/out.js"),
};

export const bundlerRows: readonly Row[] = [webpack, rspack, rsbuild, rollup, esbuild, tsup, tsdown, deno];
