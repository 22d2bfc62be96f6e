// Programs that run from their sources, without a bundler.

import { imports, program, typedCall, untypedCall } from "../program.ts";
import type { Project, Row } from "../row.ts";

const install = "npm install --no-audit --no-fund";

interface Program {
  readonly packages: readonly string[];
  readonly script: Readonly<Record<string, string>>;
  readonly main: string;
}

/** Makes the project that `npm init` and a tutorial make. */
const create =
  ({ packages, script, main }: Program) =>
  ({ run, write }: Project): void => {
    write("package.json", JSON.stringify({ name: "app", version: "1.0.0", type: "module", scripts: script }, null, 2));
    if (packages.length > 0) run(`${install} --save-dev ${packages.join(" ")}`);
    write(main, "export {};\n");
    if (!main.endsWith(".ts")) return;
    const compilerOptions = {
      target: "es2022",
      module: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      types: ["node"],
    };
    write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }));
  };

const typeScript = ["typescript@5", "@types/node@20"];

/** @param script of package.json, and how it is started */
const fromSources = (name: string, it: Program & { readonly start?: string; readonly node?: string }): Row => ({
  name,
  made: "as its maker would",
  packages: it.packages.map((one) => one.replace(/(.)@.*$/, "$1")),
  ...(it.node && { node: it.node }),
  create: create(it),
  write: ({ write }) => write(it.main, program("console.log", it.main.endsWith(".ts") ? undefined : untypedCall)),
  check: it.main.endsWith(".ts") ? "npx tsc" : null,
  build: null,
  answer: ({ run }) => run(it.start ?? "npm start"),
});

const nodeTest: Row = {
  ...fromSources("node-test", {
    packages: [],
    script: { test: "node --test test/gemm.test.js" },
    main: "test/gemm.test.js",
    start: "npm test",
  }),
  write: ({ write }) =>
    write(
      "test/gemm.test.js",
      `import { test } from "node:test";\n${program("test", untypedCall)}`.replace(
        "test(said)",
        "test(said, () => {})",
      ),
    ),
};

const denoProgram = fromSources("deno-sources", {
  packages: [...typeScript, "deno"],
  script: { start: "deno run -A src/main.ts" },
  main: "src/main.ts",
});
const denoSources: Row = {
  ...denoProgram,
  write(project) {
    denoProgram.write(project);
    // Deno takes a package by its version, as a user has it in package.json, and none by the path of its tarball.
    const { version } = JSON.parse(project.read("node_modules/unplugin-kernel/package.json"));
    const text = project.read("package.json");
    project.write("package.json", text.replace(/"unplugin-kernel": "[^"]*"/, `"unplugin-kernel": "^${version}"`));
  },
};

/** A test that prints what it said, in a project as Jest's guide makes it. */
const jestRow = (
  name: string,
  packages: readonly string[],
  test: string,
  files: Readonly<Record<string, string>>,
): Row => ({
  name,
  made: "as its maker would",
  packages: packages.map((one) => one.replace(/(.)@.*$/, "$1")),
  create({ run, write }) {
    const isModule = !("tsconfig.json" in files);
    const json = { name: "app", version: "1.0.0", ...(isModule && { type: "module" }), scripts: { test } };
    write("package.json", JSON.stringify(json, null, 2));
    run(`${install} --save-dev ${packages.join(" ")}`);
    for (const [file, text] of Object.entries(files)) write(file, text);
  },
  write({ write }) {
    const isTyped = "tsconfig.json" in files;
    const body = program("test", isTyped ? undefined : untypedCall).replace(
      "test(said)",
      `test(said, () => {\n  if (product[0] !== 512) throw new Error(said);\n})`,
    );
    write(isTyped ? "src/gemm.test.ts" : "src/gemm.test.js", body);
  },
  check: "tsconfig.json" in files ? "npx tsc" : null,
  build: null,
  answer: ({ run }) => run("npm test -- --verbose 2>&1"),
});

const jestRows: readonly Row[] = [
  jestRow("jest-esm", ["jest"], "node --experimental-vm-modules node_modules/jest/bin/jest.js", {
    "jest.config.js": "export default { transform: {} };\n",
  }),
  jestRow("jest-ts", ["jest", "ts-jest", "@types/jest", "typescript@5"], "jest", {
    "jest.config.js": `const { createDefaultPreset } = require("ts-jest");

/** @type {import("jest").Config} **/
module.exports = {
  testEnvironment: "node",
  transform: { ...createDefaultPreset().transform },
};
`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "commonjs",
        esModuleInterop: true,
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        types: ["jest"],
      },
      include: ["src"],
    }),
  }),
];

/** Project in the form of `npm init`, which says "commonjs": tsx makes `require` of `import`, in development, and tsc does for production. */
const express = (name: string, module: "commonjs" | "nodenext"): Row => ({
  name,
  made: "as its maker would",
  packages: ["express", "tsx", "typescript"],
  create({ run, write }) {
    run("npm init -y");
    run(
      "npm pkg set type=commonjs scripts.dev='tsx watch src/index.ts' scripts.build=tsc scripts.start='node dist/index.js'",
    );
    run(`${install} express`);
    run(`${install} --save-dev tsx typescript@5 @types/node@20 @types/express`);
    const compilerOptions = { target: "es2022", module, rootDir: "src", outDir: "dist", strict: true };
    const usual = { esModuleInterop: true, skipLibCheck: true };
    write("tsconfig.json", JSON.stringify({ compilerOptions: { ...compilerOptions, ...usual }, include: ["src"] }));
    write("src/index.ts", "export {};\n");
  },
  write: ({ write }) =>
    write(
      "src/index.ts",
      `import express from "express";
${imports()}

express()
  .get("/", (_request, response) => {
${typedCall}
    response.send(said);
  })
  .listen(process.env.PORT);
`,
    ),
  check: "npx tsc --noEmit",
  build: "npm run build",
  answer: async ({ ask }) => `${await ask("npm run dev")} ${await ask("npm start")}`,
});

/** Its maker takes templates from GitHub: this is the one called nodejs. */
const hono: Row = {
  ...express("hono", "nodenext"),
  packages: ["hono", "@hono/node-server", "tsx", "typescript"],
  create({ run, write }) {
    const scripts = { dev: "tsx watch src/index.ts", build: "tsc", start: "node dist/index.js" };
    write("package.json", JSON.stringify({ name: "app", type: "module", scripts }, null, 2));
    run(`${install} hono @hono/node-server`);
    run(`${install} --save-dev tsx typescript@5 @types/node@20`);
    const compilerOptions = {
      target: "ESNext",
      module: "NodeNext",
      strict: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      types: ["node"],
      jsx: "react-jsx",
      jsxImportSource: "hono/jsx",
      outDir: "./dist",
    };
    write("tsconfig.json", JSON.stringify({ compilerOptions, exclude: ["node_modules"] }, null, 2));
    write("src/index.ts", "export {};\n");
  },
  write: ({ write }) =>
    write(
      "src/index.ts",
      `import { serve } from "@hono/node-server";
import { Hono } from "hono";
${imports()}

const app = new Hono();
app.get("/", (context) => {
${typedCall}
  return context.text(said);
});
serve({ fetch: app.fetch, port: Number(process.env.PORT) });
`,
    ),
};

/** Expectation of the answer in Nest's own tests, for Jest and for supertest. Nest is CommonJS, built by tsc and tested with Jest. */
const expectation = (call: string): string =>
  call.startsWith("toBe") ? "toMatch(/^C.0. = 512, /)" : "expect(/^C.0. = 512, /)";

const nest: Row = {
  name: "nest",
  made: "by its maker",
  packages: ["@nestjs/core", "@nestjs/cli", "typescript"],
  create({ run }) {
    run("npx -y @nestjs/cli@11 new app --directory . --package-manager npm --skip-git --skip-install");
    run(install);
  },
  write({ write, read }) {
    // Its own tests, of units and from end to end, by Jest's configurations in package.json and test/jest-e2e.json.
    for (const file of ["src/app.controller.spec.ts", "test/app.e2e-spec.ts"])
      write(file, read(file).replace(/toBe\('Hello World!'\)|expect\('Hello World!'\)/, expectation));
    write(
      "src/app.service.ts",
      `import { Injectable } from "@nestjs/common";
${imports()}

@Injectable()
export class AppService {
  getHello(): string {
${typedCall}
    return said;
  }
}
`,
    );
  },
  check: "npx tsc --noEmit",
  build: "npm run build",
  async answer({ ask, run }) {
    run("npm test");
    run("npm run test:e2e");
    return `${await ask("npm start")} ${await ask("npm run start:prod")}`;
  },
};

export const programRows: readonly Row[] = [
  ...jestRows,
  express("express-commonjs", "commonjs"),
  { ...express("express-commonjs-24", "nodenext"), node: "24" },
  hono,
  nest,
  fromSources("tsx", { packages: [...typeScript, "tsx"], script: { start: "tsx src/main.ts" }, main: "src/main.ts" }),
  fromSources("node-js", { packages: [], script: { start: "node src/main.js" }, main: "src/main.js" }),
  fromSources("node-24", {
    packages: typeScript,
    script: { start: "node src/main.ts" },
    main: "src/main.ts",
    node: "24",
  }),
  nodeTest,
  fromSources("bun", {
    packages: [...typeScript, "bun"],
    script: { start: "bun run src/main.ts" },
    main: "src/main.ts",
  }),
  denoSources,
];
