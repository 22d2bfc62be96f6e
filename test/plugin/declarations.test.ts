// The declarations, as text and as TypeScript reads them.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { declarationsText } from "../../src/plugin/declarations.ts";
import { requestTargets } from "../../src/plugin/request.ts";
import { writeApp } from "../support/build-app.ts";

const repository = resolve(import.meta.dirname, "../..");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** What tsc says about the program: nothing, or its errors without the places. */
function typeErrors(files: Readonly<Record<string, string>>): string[] {
  const source = (path: string): string[] => [join(repository, "src", path)];
  const root = writeApp({
    ...files,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        module: "preserve",
        target: "es2023",
        lib: ["es2023", "dom"],
        typeRoots: [join(repository, "node_modules/@types")],
        types: ["node"],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        paths: {
          "unplugin-kernel/op": source("compiler/expr/authoring.ts"),
          "unplugin-kernel/vite": source("plugin/types.ts"),
        },
      },
      include: ["**/*.ts"],
    }),
  });
  try {
    execFileSync(process.execPath, [tsc, "-p", root, "--pretty", "false"], { encoding: "utf8" });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout.split("\n").flatMap((line) => line.match(/error (TS\d+: .*)/)?.[1] ?? []);
  }
}

const operator = `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 8 }, ({ N }) => {
  const A = tensor("A", [N], "i32");
  return compute("C", [N], (i) => A(i).add(1));
});`;
const uses = (specifier: string): string => `import kernel from "${specifier}";
export const C: Int32Array = kernel(new Int32Array(8));
export const info: string = kernel.info.schedule;
`;

describe("declarations", () => {
  const imports = [
    { specifier: "../ops/inc.op.ts?tune=wasm", file: "/app/src/ops/inc.op.ts" },
    { specifier: "./inc.op.ts?tune=wasm", file: "/app/old/inc.op.ts" },
    { specifier: "#op/inc.op.ts?M=3&tune=avx2", file: "/app/src/ops/inc.op.ts" },
  ];

  it("name the operator's own type, whatever the order of the imports", () => {
    const text = declarationsText(imports, "/app/src/kernels.d.ts");
    expect(text).toContain(`
declare module "#op/inc.op.ts?M=3&tune=avx2" {
  const kernel: typeof import("./ops/inc.op.ts").default;
  export default kernel;
}

declare module "*/inc.op.ts?tune=wasm" {
  const kernel: typeof import("../old/inc.op.ts").default | typeof import("./ops/inc.op.ts").default;
  export default kernel;
}
`);
    expect(declarationsText(imports.toReversed(), "/app/src/kernels.d.ts")).toBe(text);
  });

  it("are what TypeScript needs: precise where generated, and a fallback for the rest", () => {
    const declarations = declarationsText(
      [{ specifier: "./inc.op.ts?tune=wasm", file: "/app/inc.op.ts" }],
      "/app/kernels.d.ts",
    );
    const files = { "inc.op.ts": operator, "kernels.d.ts": declarations };
    expect(typeErrors({ ...files, "main.ts": uses("./inc.op.ts?tune=wasm") })).toEqual([]);
    expect(typeErrors({ ...files, "main.ts": uses("./other.op.ts?N=3&tune=avx2") })).toEqual([]);
    const wrong = uses("./inc.op.ts?tune=wasm").replace("C: Int32Array", "C: Float64Array");
    expect(typeErrors({ ...files, "main.ts": wrong })).toEqual([
      expect.stringContaining("Type 'Int32Array<ArrayBufferLike>' is not assignable to type 'Float64Array"),
    ]);
  });

  it("come with the package in a general form, for each target", () => {
    const client = readFileSync(join(repository, "client.d.ts"), "utf8");
    const named = [...client.matchAll(/^declare module "\*tune=(.*)" \{$/gm)].map(([, target]) => target);
    expect(named).toEqual(requestTargets);
    const main = uses("./inc.op.ts?N=3&tune=native");
    expect(typeErrors({ "client.d.ts": client, "main.ts": main })).toEqual([]);
    expect(typeErrors({ "client.d.ts": client, "main.ts": main.replace("tune=native", "tune=avx9000") })).toEqual([
      expect.stringContaining("TS2307: Cannot find module './inc.op.ts?N=3&tune=avx9000'"),
    ]);
  });
});
