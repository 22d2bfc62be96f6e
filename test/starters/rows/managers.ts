// Vite's project as other package managers install it, and as a package of a workspace whose operator is in another.

import { titleOf } from "../page.ts";
import { imports, program, typedCall } from "../program.ts";
import type { Project, Row } from "../row.ts";

const intoTitle = "((text: string) => void (document.title = text))";
const createVite = (folder: string): string =>
  `npm create -y vite@9.3.0 ${folder} -- --template vanilla-ts --no-interactive`;

const vanilla: Pick<Row, "made" | "packages" | "write" | "answer"> = {
  made: "by its maker",
  packages: ["vite", "typescript"],
  write: ({ append }) => append("src/main.ts", `\n${program(intoTitle)}`),
  answer: (project) => titleOf(project, "dist"),
};

const pnpm = "npx -y pnpm@10";

const withPnpm: Row = {
  ...vanilla,
  name: "pnpm",
  create({ run }) {
    run(createVite("."));
    run(`${pnpm} install`);
  },
  commands: {
    add: (tarball) => `${pnpm} add --save-dev ${tarball}`,
    exec: `${pnpm} exec`,
    run: `${pnpm} run`,
  },
  check: "by build",
  build: `${pnpm} run build`,
};

const yarn = "npx -y --package @yarnpkg/cli-dist@4 yarn";

/** Plug'n'Play: packages stay in archives, and there is no node_modules. TypeScript 7 does not know it. */
const withYarn: Row = {
  ...vanilla,
  name: "yarn-pnp",
  create({ run, write }) {
    run(createVite("."));
    // Vite 8.4.0 names an optional package that the registry lacks. npm goes on without it, yarn does not.
    run("npm pkg set devDependencies.vite=~8.3.8");
    write("yarn.lock", "");
    run(`${yarn} add --dev typescript@5`);
  },
  commands: {
    add: (tarball) => `${yarn} add --dev unplugin-kernel@file:${tarball}`,
    exec: yarn,
    run: `${yarn} run`,
  },
  check: "by build",
  build: `${yarn} run build`,
};

/** A page that imports a kernel of its own, and one of the operator of a neighbour. */
function writeWorkspace({ append }: Project): void {
  const other = imports("@acme/scores/scores.op.ts?tune=wasm").replace("gemm", "scores");
  append(
    "apps/web/src/main.ts",
    `\n${imports()}\n${other}\n${typedCall}\nconst same: Float32Array = scores(ones, ones);\nif (same[0] === product[0]) document.title = said;\n`,
  );
}

const workspaces: Row = {
  ...vanilla,
  name: "workspaces",
  create({ run, write }) {
    write("package.json", JSON.stringify({ name: "mono", private: true, workspaces: ["apps/*", "packages/*"] }));
    const neighbour = { name: "@acme/scores", version: "1.0.0", type: "module", exports: { "./*": "./src/*" } };
    write("packages/scores/package.json", JSON.stringify(neighbour));
    const operator = `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 512, N: 512, K: 512 });\n`;
    write("packages/scores/src/scores.op.ts", operator);
    run(createVite("apps/web"));
    run("npm install --no-audit --no-fund");
  },
  commands: {
    add: (tarball) => `npm install --no-audit --no-fund --save-dev ${tarball} -w apps/web`,
    exec: "npx -w apps/web",
    run: "npm run -w apps/web",
  },
  write: writeWorkspace,
  check: "by build",
  build: "npm run -w apps/web build",
  answer: (project) => titleOf(project, "apps/web/dist"),
};

export const managerRows: readonly Row[] = [withPnpm, withYarn, workspaces];
