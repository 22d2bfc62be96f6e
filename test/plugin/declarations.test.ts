// The declarations, as text and as TypeScript reads them.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, test } from "vitest";
import { declarationsText } from "../../src/plugin/declarations.ts";
import { requestTargets } from "../../src/plugin/request.ts";
import { writeApp } from "../support/build-app.ts";

const repository = resolve(import.meta.dirname, "../..");
const ownTsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const tscOf = (version: string): string => join(repository, `test/tools/node_modules/typescript-${version}/bin/tsc`);

interface Compiler {
  readonly tsc: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What people have in a project with a bundler, and in one for Node. */
const resolutions = {
  bundler: { module: "preserve", moduleResolution: "bundler" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
};
const compilers = Object.entries({
  "TypeScript 7": ownTsc,
  "TypeScript 6": tscOf("6"),
  "TypeScript 5.9": tscOf("5"),
}).flatMap(([name, tsc]) =>
  Object.entries(resolutions).map(([resolution, options]) => {
    const missing = existsSync(tsc) ? "" : ` (not here: npm ci --prefix test/tools)`;
    return { title: `${name}, ${resolution}${missing}`, missing, compiler: { tsc, options } };
  }),
);

/** What tsc says about the program, in which the package is installed: its errors, as "main.ts: TS2307: …". */
function typeErrors(files: Readonly<Record<string, string>>, { tsc, options }: Compiler): string[] {
  const root = writeApp({
    "package.json": JSON.stringify({ type: "module", imports: { "#op/*?tune=wasm": "./*" } }),
    ...files,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...options,
        target: "es2023",
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
      },
      include: ["*.ts"],
    }),
  });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(repository, join(root, "node_modules/unplugin-kernel"), "junction");
  try {
    execFileSync(process.execPath, [tsc, "-p", root, "--pretty", "false"], { encoding: "utf8" });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return [...stdout.matchAll(/^(?:.*[\\/])?([\w-]+\.ts)\(.*\): error (.*)$/gm)]
      .map(([, file, text]) => `${file}: ${text}`)
      .sort();
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
});

for (const { title, missing, compiler } of compilers)
  describe.skipIf(missing !== "")(title, () => {
    it("is told precise types by the declarations or by a pattern of package.json, and has a fallback for the rest", () => {
      const imported = { specifier: "./inc.op.ts?tune=wasm", file: "/app/inc.op.ts" };
      const wrong = (specifier: string): string => uses(specifier).replace("C: Int32Array", "C: Float64Array");
      const files = {
        "inc.op.ts": operator,
        "kernels.d.ts": declarationsText([imported], "/app/kernels.d.ts"),
        "declared.ts": uses("./inc.op.ts?tune=wasm"),
        "declared-wrong.ts": wrong("./inc.op.ts?tune=wasm"),
        "general.ts": uses("./other.op.ts?N=3&tune=avx2"),
        "pattern.ts": uses("#op/inc.op.ts?tune=wasm"),
        "pattern-wrong.ts": wrong("#op/inc.op.ts?tune=wasm"),
      };
      const mismatch = "TS2322: Type 'Int32Array<ArrayBufferLike>' is not assignable to type 'Float64Array";
      expect(typeErrors(files, compiler)).toEqual([
        expect.stringContaining(`declared-wrong.ts: ${mismatch}`),
        expect.stringContaining(`pattern-wrong.ts: ${mismatch}`),
      ]);
    });

    it("has a general form for each target with the package", () => {
      const files = {
        "client.d.ts": readFileSync(join(repository, "client.d.ts"), "utf8"),
        "main.ts": uses("./inc.op.ts?N=3&tune=native"),
        "unknown.ts": uses("./inc.op.ts?N=3&tune=avx9000"),
      };
      expect(typeErrors(files, compiler)).toEqual([
        expect.stringContaining("unknown.ts: TS2307: Cannot find module './inc.op.ts?N=3&tune=avx9000'"),
      ]);
    });
  });

test("the general form names every target", () => {
  const client = readFileSync(join(repository, "client.d.ts"), "utf8");
  const named = [...client.matchAll(/^declare module "\*tune=(.*)" \{$/gm)].map(([, target]) => target);
  expect(named).toEqual(requestTargets);
});
