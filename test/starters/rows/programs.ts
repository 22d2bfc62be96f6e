// Programs that run from their sources, without a bundler.

import { program, untypedCall } from "../program.ts";
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

export const programRows: readonly Row[] = [
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
];
