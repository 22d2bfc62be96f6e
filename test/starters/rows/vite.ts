// create-vite's templates.

import { titleOf } from "../page.ts";
import { imports, program, typedCall } from "../program.ts";
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
      read(file).replace(/<script[^>]*>\n/, (tag) => tag + linesIn(tag)),
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
      write(
        "src/gemm.test.ts",
        `import { expect, test } from "vitest";
import gemm from "./kernels/gemm.op.ts?tune=wasm";
test("gemm", async () => {
  const ones = new Float32Array(512 * 512).fill(1);
  const product: Float32Array = await gemm.async(ones, ones);
  expect(product[0]).toBe(512);
});
`,
      );
    },
  }),
  template("vue-ts", { check: "by build", packages: ["vue"], write: intoComponent("src/App.vue") }),
  template("svelte-ts", { check: "npm run check", packages: ["svelte"], write: intoComponent("src/App.svelte") }),
];
