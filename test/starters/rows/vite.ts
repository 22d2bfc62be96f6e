// create-vite's templates, and Vue's own.

import { titleOf } from "../page.ts";
import { imports, program, typedCall, untypedCall, vitestOf } from "../program.ts";
import type { Project, Row } from "../row.ts";

const createVite =
  (template: string) =>
  ({ run }: Project): void => {
    run(`npm create -y vite@9.3.0 . -- --template ${template} --no-interactive`);
    run("npm install --no-audit --no-fund");
  };

const intoTitle = "((text: string) => void (document.title = text))";

/** Into the first `<script>` of a component. */
const intoComponent =
  (file: string) =>
  ({ read, write }: Project): void => {
    // The starter of Svelte has JavaScript in its components, whose types are checked, too.
    const inJsdoc = typedCall.replace("const product: Float32Array", "/** @type {Float32Array} */\nconst product");
    const linesIn = (tag: string): string =>
      `${imports()}\n${tag.includes('"ts"') ? typedCall : inJsdoc}\ndocument.title = said;\n`;
    write(
      file,
      read(file).replace(/<script[^>]*>\n?/, (tag) => `${tag.trimEnd()}\n${linesIn(tag)}`),
    );
  };

const template = (
  name: string,
  more: Pick<Row, "write" | "check"> & { readonly packages?: readonly string[] },
): Row => ({
  name: `vite-${name}`,
  made: "by its maker",
  create: createVite(name),
  build: "npm run build",
  answer: (project) => titleOf(project, "dist"),
  ...more,
  packages: ["vite", "typescript", ...(more.packages ?? [])],
});

/** Its tests have a configuration of their own, which takes in that of Vite. */
const createVue: Row = {
  name: "create-vue",
  made: "by its maker",
  packages: ["vue", "vite", "vitest", "typescript"],
  create({ run }) {
    // The starter gets a folder of its own, whose name it takes without asking.
    run("npm create -y vue@3 vue-app -- --ts --vitest --bare && cp -a vue-app/. . && rm -r vue-app");
    run("npm install --no-audit --no-fund");
  },
  write(project) {
    intoComponent("src/App.vue")(project);
    project.write("src/__tests__/gemm.spec.ts", vitestOf("@/kernels/gemm.op.ts?tune=wasm"));
  },
  check: "npx vitest run",
  build: "npm run build",
  answer: (project) => titleOf(project, "dist"),
};

export const viteRows: readonly Row[] = [
  template("vanilla-ts", {
    check: "by build",
    write: ({ append }) => append("src/main.ts", `\n${program(intoTitle)}`),
  }),
  template("react-ts", {
    // Its build checks the types; Vitest runs in the same project.
    check: "npx vitest run",
    packages: ["react", "vitest"],
    write({ append, write, run }) {
      append("src/main.tsx", `\n${program(intoTitle)}`);
      run("npm install --no-audit --no-fund --save-dev vitest");
      write("src/gemm.test.ts", vitestOf("./kernels/gemm.op.ts?tune=wasm"));
    },
  }),
  template("vue-ts", { check: "by build", packages: ["vue"], write: intoComponent("src/App.vue") }),
  template("preact-ts", {
    check: "by build",
    packages: ["preact"],
    write: ({ append }) => append("src/main.tsx", `\n${program(intoTitle)}`),
  }),
  template("solid-ts", {
    check: "by build",
    packages: ["solid-js"],
    write: ({ append }) => append("src/index.tsx", `\n${program(intoTitle)}`),
  }),
  template("lit-ts", {
    check: "by build",
    packages: ["lit"],
    write: ({ append }) => append("src/my-element.ts", `\n${program(intoTitle)}`),
  }),
  template("react", {
    check: null,
    packages: ["react"],
    write: ({ append }) => append("src/main.jsx", `\n${program(intoTitle.replace(": string", ""), untypedCall)}`),
  }),
  template("vanilla", {
    check: null,
    write: ({ append }) => append("src/main.js", `\n${program(intoTitle.replace(": string", ""), untypedCall)}`),
  }),
  createVue,
  template("svelte-ts", { check: "npm run check", packages: ["svelte"], write: intoComponent("src/App.svelte") }),
];
