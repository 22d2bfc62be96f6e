// The commands as users run them: what they print, as text and as JSON, what they write, and their exit codes.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { cachesText } from "../../../src/cli/actions/doctor.ts";
import { targetNames } from "../../../src/compiler/index.ts";
import { inTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(7);

const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
};
const quickly = ["--seconds", "600", "--trials", "4"];
const name = "src/gemm.op.ts?tune=wasm";

turn("a file that cannot be written is told in a line, without a stack, and as JSON where that is asked for", () => {
  const root = writeProject({ ...files, "report.html": "a file" });
  const { exitCode, errors } = runCli(root, "report", "--out", "report.html/page.html");
  expect([exitCode, errors.split("\n")[0]]).toEqual([
    1,
    expect.stringMatching(/^command\.no-access: (ENOTDIR|EEXIST): .*report\.html/),
  ]);
  expect(errors).not.toContain("    at ");
  const { error } = JSON.parse(runCli(root, "report", "--out", "report.html/page.html", "--json").output);
  expect(error.code).toBe("command.no-access");
});

interface StoredJson {
  readonly kind: string;
  readonly bytes: number;
}

/** Rows of `cache ls`: name → count and size. */
const sizesOf = (text: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => / \d+ \|/.test(line))
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, name, count, size]) => [name, [count, size]]),
  );

/** The same rows, of what `cache ls --json` says. */
function sizesInJson(json: string): Record<string, readonly string[]> {
  const { items } = JSON.parse(json) as { items: readonly StoredJson[] };
  const row = (kind: string): readonly string[] => {
    const bytes = items.filter((item) => item.kind === kind).reduce((sum, item) => sum + item.bytes, 0);
    const count = items.filter((item) => item.kind === kind).length;
    return [String(count), bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`];
  };
  return {
    decisions: row("schedule"),
    "built kernels": row("artifact"),
    "their modules and addons": row("blob"),
    broken: row("broken"),
    "unreadable, or of another version": row("unreadable"),
  };
}

describe("tune and verify", () => {
  let root: string;
  beforeAll(() => {
    root = writeProject(files);
  });
  const lockfile = (): string => readFileSync(join(root, "kernels.lock.json"), "utf8");

  test("verify misses what was never tuned", () => {
    const { exitCode, errors } = runCli(root, "verify");
    expect(exitCode).toBe(1);
    expect(errors).toContain(`wrong    ${name}: frozen.miss: ${name} is not in kernels.lock.json`);
  });

  test("tune measures once and writes the lock, whatever CI says; the second time there is nothing to do", () => {
    const first = runCli(root, "tune", "--json", ...quickly);
    expect(first.errors).toBe("");
    expect(first.exitCode).toBe(0);
    const [kernel] = JSON.parse(first.output).kernels;
    expect(kernel).toMatchObject({ kernel: name, origin: "tuned", error: null });
    expect(kernel.measured).toBeGreaterThan(0);
    expect(JSON.parse(lockfile()).kernels).toHaveProperty([name]);
    const again = runCli(root, "tune");
    expect(again).toMatchObject({ exitCode: 0, errors: "" });
    expect(again.output).toMatch(/\| src\/gemm\.op\.ts\?tune=wasm \| lock +\| +[\d.]+ \| +0 \|/);
  });

  turn("tune --prove says what the model thinks of all other schedules", () => {
    const { exitCode, output } = runCli(root, "tune", "--prove", "--json");
    expect(exitCode).toBe(0);
    const [{ proof, measured }] = JSON.parse(output).kernels;
    expect(measured).toBe(0);
    expect(proof.predictedNs).toBeGreaterThan(0);
    const verdict = expect.stringMatching(/^(none|faster)$/);
    expect(proof.templates).toMatchObject([
      { template: "C tiled", verdict },
      { template: "sums written out: plain", verdict },
    ]);
    expect(runCli(root, "tune", "--prove").output).toContain(`${name}: the model predicts `);
  });

  test("verify runs it against the reference, and names entries that nobody uses", () => {
    expect(runCli(root, "verify")).toMatchObject({ exitCode: 0, output: `right    ${name}\n` });
    const lock = JSON.parse(lockfile());
    const unused = { ...lock, kernels: { ...lock.kernels, "src/old.op.ts?tune=wasm": lock.kernels[name] } };
    writeFileSync(join(root, "kernels.lock.json"), JSON.stringify(unused));
    const { exitCode, output } = runCli(root, "verify", "--json");
    expect(exitCode).toBe(0);
    const right = { kernel: name, state: "right", why: null };
    expect(JSON.parse(output)).toEqual({
      kernels: [right],
      unused: ["src/old.op.ts?tune=wasm"],
      foreign: [],
      output: [],
    });
  });

  turn("cache lists what lies there, and gc takes what is built again without measuring", () => {
    const kindsOf = (): string[] =>
      JSON.parse(runCli(root, "cache", "ls", "--json").output).items.map(({ kind }: { kind: string }) => kind);
    const before = kindsOf();
    expect(new Set(before)).toEqual(new Set(["schedule", "artifact", "blob"]));
    expect(sizesOf(runCli(root, "cache", "ls").output)).toEqual(
      sizesInJson(runCli(root, "cache", "ls", "--json").output),
    );
    expect(runCli(root, "cache", "gc").output).toBe("0 removed, 0 bytes\n");
    const { removed } = JSON.parse(runCli(root, "cache", "gc", "--days", "0", "--json").output);
    expect(removed).toBe(before.length - 1);
    expect(kindsOf()).toEqual(["schedule"]);
    const [kernel] = JSON.parse(runCli(root, "tune", "--json").output).kernels;
    expect(kernel).toMatchObject({ origin: "lock", measured: 0 });
    expect(kindsOf()).toContain("artifact");
  });

  turn("inspect shows the lock's schedule, whole or a part of it", () => {
    const { output } = runCli(root, "inspect", "./src/gemm.op.ts?tune=wasm");
    for (const part of ["expression", "space", "schedule", "typescript", "nest", "code"])
      expect(output).toContain(`── ${part} `);
    expect(output).toContain("C[i, j] = sum(A[i, k] * B[k, j], k)");
    expect(output).toContain("lock: C tiled");
    const { output: code } = runCli(root, "inspect", "./src/gemm.op.ts?tune=wasm", "--only", "code");
    expect(code.startsWith("(module")).toBe(true);
  });

  test("verify finds decisions that were edited", () => {
    const edited = lockfile()
      .replace(/"C\.k\.steps": ?\d+/, '"C.k.steps":1')
      .replace(/"C\.i\.register": ?\d+/, '"C.i.register":1');
    expect(edited).not.toBe(lockfile());
    writeFileSync(join(root, "kernels.lock.json"), edited);
    const { exitCode, errors } = runCli(root, "verify");
    expect(exitCode).toBe(1);
    expect(errors).toContain("lock.other-source");
  });

  test("a lock that cannot be read is an error of its own", () => {
    writeFileSync(join(root, "kernels.lock.json"), "{");
    const { exitCode, output } = runCli(root, "verify", "--json");
    expect(exitCode).toBe(1);
    expect(JSON.parse(output).error.code).toBe("lock.broken");
  });
});

turn("inspect takes an import as code has it", () => {
  const root = writeProject({
    ...files,
    "package.json": JSON.stringify({ type: "module", imports: { "#op/*": "./src/*" } }),
    "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { "~/*": ["./src/*"] } } }),
  });
  for (const specifier of ["#op/gemm.op.ts?tune=wasm", "~/gemm.op.ts?tune=wasm", "src/gemm.op.ts?tune=wasm"]) {
    const { exitCode, output, errors } = runCli(root, "inspect", specifier, "--json");
    expect([exitCode, errors]).toEqual([0, ""]);
    expect(JSON.parse(output).kernel).toBe(name);
  }
});

turn("hints are for the package manager of the project", () => {
  const root = writeProject({ ...files, "pnpm-lock.yaml": "" });
  expect(runCli(root, "verify").errors).toContain("run pnpm exec unplugin-kernel tune on a machine of your own");
});

turn("tune tells which kernel failed, and goes on with the others", () => {
  const root = writeProject({
    ...files,
    "src/bad.ts": 'import bad from "./gemm.op.ts?tune=wasm&X=1";\nconsole.log(bad);\n',
  });
  const { exitCode, errors } = runCli(root, "tune", ...quickly);
  expect(exitCode).toBe(1);
  expect(errors).toContain("request.unknown-key: src/gemm.op.ts has no parameter X");
  expect(errors).toMatch(/src\/gemm\.op\.ts\?tune=wasm +\| tuned/);
});

turn("a value that an option does not take is a mistake of the command line, a wrong import one of the project", () => {
  const root = writeProject({
    ...files,
    "src/bad.ts": 'import bad from "./gemm.op.ts?tune=wsam";\nconsole.log(bad);\n',
  });
  const loose = runCli(root, "tune", "--numerics", "loose");
  expect(loose).toMatchObject({ exitCode: 2, errors: expect.stringContaining('option numerics is "loose"') });
  const wrong = runCli(root, "tune");
  expect(wrong).toMatchObject({ exitCode: 1, errors: expect.stringContaining("\n  src/bad.ts:1:17\n") });
});

turn("types writes declarations beside the sources, and checks them", () => {
  const root = writeProject(files);
  const file = join(root, "src/kernel-imports.d.ts");
  expect(runCli(root, "types", "--check")).toMatchObject({ exitCode: 1 });
  expect(existsSync(file)).toBe(false);
  expect(runCli(root, "types")).toMatchObject({ exitCode: 0, output: "src/kernel-imports.d.ts written, 1 import\n" });
  expect(readFileSync(file, "utf8")).toContain('declare module "*/gemm.op.ts?tune=wasm"');
  expect(runCli(root, "types", "--check")).toMatchObject({ exitCode: 0 });
});

turn("types finds the file that it wrote before; tune keeps it as the imports are", () => {
  const root = writeProject(files);
  const file = join(root, "typings/kernels.d.ts");
  expect(runCli(root, "types", "--out", "typings/kernels.d.ts")).toMatchObject({ exitCode: 0 });
  writeFileSync(join(root, "src/more.ts"), 'import more from "./gemm.op.ts?tune=wasm&M=8";\nconsole.log(more);\n');
  expect(runCli(root, "types", "--check")).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining("typings/kernels.d.ts is not up to date"),
  });
  expect(runCli(root, "tune", ...quickly)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(file, "utf8")).toContain('declare module "*/gemm.op.ts?tune=wasm&M=8"');
  expect(runCli(root, "types")).toMatchObject({ output: "typings/kernels.d.ts is up to date, 2 imports\n" });
  expect(existsSync(join(root, "src/kernel-imports.d.ts"))).toBe(false);
});

turn("types names a file whose general types would come before its own", () => {
  const root = writeProject({ ...files, "src/kernel-env.d.ts": '/// <reference types="unplugin-kernel/client" />\n' });
  const { exitCode, output } = runCli(root, "types");
  expect(exitCode).toBe(0);
  expect(output).toContain(
    "src/kernel-env.d.ts has unplugin-kernel/client, whose general types come first: take it out",
  );
  expect(JSON.parse(runCli(root, "types", "--check", "--json").output)).toMatchObject({
    isCurrent: true,
    general: ["src/kernel-env.d.ts"],
  });
});

turn("imports that lead nowhere are named", () => {
  const root = writeProject({
    "src/main.ts":
      'import a from "./gemn.op.ts?tune=wasm";\nimport b from "./main.ts?tune=wasm";\nconsole.log(a, b);\n',
  });
  const { exitCode, output, errors } = runCli(root, "verify");
  expect([exitCode, output]).toEqual([1, ""]);
  expect(errors).toContain("command.no-imports: no imports of kernels found in");
  for (const specifier of ["./gemn.op.ts?tune=wasm", "./main.ts?tune=wasm"])
    expect(errors).toContain(`src/main.ts: "${specifier}" leads to no operator file, and is left out`);
});

turn("what the bundler's configuration says of operators and numerics, the command line is told by flags", () => {
  const root = writeProject({
    "src/gemm.kernel.ts": gemm,
    "src/main.ts": 'import gemm from "./gemm.kernel.ts?tune=wasm";\nconsole.log(gemm);\n',
  });
  const flags = ["--include", "**/*.kernel.ts", "--numerics", "strict"];
  expect(runCli(root, "tune", ...flags, ...quickly).exitCode).toBe(0);
  expect(runCli(root, "verify", ...flags).output).toBe("right    src/gemm.kernel.ts?tune=wasm\n");
  const { exitCode, errors } = runCli(root, "verify", ...flags.slice(0, 2));
  expect(exitCode).toBe(1);
  expect(errors).toContain('is stale: it is for numerics "strict"');
});

turn("doctor says whether there is an XGBoost library, and what calls it", () => {
  expect(runCli(writeProject({}), "doctor").output).toMatch(/^xgboost {4}(no library: |\/)/m);
});

turn("doctor says what it finds of a project: bundler, plugin, lock, store", () => {
  const config = 'import kernel from "unplugin-kernel/vite";\nexport default { plugins: [kernel()] };\n';
  const packageJson = JSON.stringify({ devDependencies: { vite: "^8.0.0" } });
  const linesOf = (root: string): readonly string[] => runCli(root, "doctor").output.split("\n");
  const wired = writeProject({ ...files, "package.json": packageJson, "vite.config.js": config });
  expect(linesOf(wired)).toEqual(
    expect.arrayContaining([
      "bundler    vite, with the plugin in vite.config.js",
      `lock       kernels.lock.json is fresh for 0 of 1 kernels: npx unplugin-kernel tune (${name}: it has no entry)`,
      "store      node_modules/.cache/unplugin-kernel, empty",
      expect.stringMatching(/^relaxed {4}SIMD is /),
    ]),
  );
  runCli(wired, "tune", ...quickly);
  expect(linesOf(wired)).toContain("lock       kernels.lock.json is fresh, 1 of 1 kernels are in it");
  expect(linesOf(wired).find((line) => line.startsWith("store"))).toMatch(/unplugin-kernel, [\d.]+ kB$/);
  const plain = writeProject({ "package.json": packageJson, "vite.config.js": "export default {};\n" });
  expect(linesOf(plain)).toContain("bundler    vite, no plugin in vite.config.js: npx unplugin-kernel init adds it");
});

describe("doctor finds the plugin where `init` puts it", () => {
  const packageJson = (json: object) => ({ "package.json": JSON.stringify(json) });
  const register = "unplugin-kernel/register";
  const jest = { devDependencies: { jest: "30" } };
  const transform = { "\\.ts$": ["unplugin-kernel/jest-transformer", { inner: "ts-jest" }] };
  const add = "npx unplugin-kernel init adds";
  turn.each<[string, Record<string, string>, string]>([
    [
      "a script of Node's",
      packageJson({ scripts: { build: "tsc", start: `node --import ${register} a.js` } }),
      "node, with the hooks in script start",
    ],
    [
      "scripts of Bun's and Deno's",
      packageJson({
        scripts: { dev: `bun --preload ${register} a.ts`, start: `deno run --preload npm:${register} a.ts` },
      }),
      "node, with the hooks in scripts dev, start",
    ],
    [
      "Deno's own tasks",
      { ...packageJson({}), "deno.json": `{ "tasks": { "start": "deno run --preload npm:${register} a.ts" } }` },
      "node, with the hooks in deno.json",
    ],
    [
      "scripts without it, although it is installed",
      packageJson({
        scripts: { start: "node a.js", tune: "unplugin-kernel tune" },
        dependencies: { "unplugin-kernel": "1" },
      }),
      `node, no hooks in its scripts: ${add} them`,
    ],
    [
      "Jest's configuration in a script",
      { ...packageJson(jest), "jest.config.js": 'import withKernels from "unplugin-kernel/jest";' },
      "jest, with the plugin in jest.config.js",
    ],
    [
      "Jest's configuration in package.json, and a script",
      packageJson({
        ...jest,
        scripts: { start: `nest start --exec "node --import ${register}"` },
        jest: { transform },
      }),
      "jest, with the plugin in package.json and the hooks in script start",
    ],
    [
      "Jest's configuration in a file of JSON",
      { ...packageJson(jest), "jest.config.json": JSON.stringify({ transform }) },
      "jest, with the plugin in jest.config.json",
    ],
    [
      "Jest's configuration without it, although it is installed",
      packageJson({ devDependencies: { jest: "30", "unplugin-kernel": "1" }, jest: {} }),
      `jest, no plugin in package.json: ${add} it`,
    ],
    ["Jest without a configuration", packageJson(jest), `jest, without a configuration: ${add} it`],
    [
      "Nuxt's modules",
      {
        ...packageJson({ devDependencies: { nuxt: "4" } }),
        "nuxt.config.ts": 'export default defineNuxtConfig({ modules: ["unplugin-kernel/nuxt"] });',
      },
      "nuxt, with the plugin in nuxt.config.ts",
    ],
    [
      "Next's configuration",
      {
        ...packageJson({ dependencies: { next: "16" } }),
        "next.config.ts": 'import withKernels from "unplugin-kernel/next";\nexport default withKernels({});',
      },
      "next, with the plugin in next.config.ts",
    ],
  ])("%s", (_, files, state) => {
    expect(runCli(writeProject(files), "doctor").output.split("\n")).toContain(`bundler    ${state}`);
  });
});

test("doctor says which caches kernels are tuned for where the system tells none", () => {
  expect(cachesText({ l1Bytes: 49_152, l2Bytes: 2 ** 21, l3Bytes: 2 ** 23 }, "avx2")).toBe(
    "L1 48 KB, L2 2 MB, L3 8 MB a core",
  );
  expect(cachesText(null, "avx2")).toBe(
    "not known: the system does not tell, so kernels are tuned for the target's typical ones (avx2: L1 32 KB, L2 512 KB, L3 2 MB a core)",
  );
});

turn("doctor knows every target", () => {
  const { exitCode, output } = runCli(writeProject({}), "doctor", "--json");
  expect(exitCode).toBe(0);
  const { targets, node } = JSON.parse(output);
  expect(node.node).toBe(process.versions.node);
  expect(targets).toContainEqual({ target: "wasm", builds: true, runs: true, why: null });
  expect(targets.map(({ target }: { target: string }) => target)).toEqual([
    ...targetNames,
    "cuda-sm80",
    "cuda-sm90",
    "webgpu",
  ]);
});

describe("the command line itself", () => {
  const root = writeProject(files);
  turn.each([
    [
      [],
      "init, types, tune, bench, inspect, report, verify, cache, pack, merge-lock, worker, doctor; --help says more",
    ],
    [["tun"], "unplugin-kernel has no command tun: did you mean tune?"],
    [["insepct"], "did you mean inspect?"],
    [["tune", "--second", "3"], "did you mean --seconds?"],
    [["nonsense"], "unplugin-kernel has no command nonsense"],
    [["tune", "--bogus"], "Unknown option `--bogus`"],
    [["types", "--lockfile", "x.json"], "Unknown option `--lockfile`"],
    [["inspect"], "missing required args"],
    [["inspect", "gemm"], 'command.bad-argument: "gemm" is no import of a kernel'],
    [["inspect", "./src/gemm.op.ts?tune=wasm", "--only", "all"], 'command.bad-argument: --only is "all"'],
    [["tune", "gemm.op.ts"], "command.bad-argument: no import asks for a kernel of gemm.op.ts"],
    [["cache", "rm"], "command.bad-argument: cache rm"],
    [["cache", "ls", "--lockfile", "x.json"], "command.bad-argument: cache ls has no use for --lockfile"],
    [["cache", "ls", "--numerics", "strict"], "command.bad-argument: cache ls has no use for --numerics"],
    [["cache", "ls", "--include", "*.ts"], "command.bad-argument: cache ls has no use for --include"],
    [["cache", "ls", "--days", "3"], "command.bad-argument: cache ls has no use for --days"],
    [["cache", "gc", "--remote", "http://x"], "command.bad-argument: cache gc has no use for --remote"],
    [["cache", "export", "x.jsonl", "--include", "*.ts"], "cache export has no use for --include"],
    [["cache", "ls", "x.jsonl"], "command.bad-argument: cache ls has no use for x.jsonl"],
    [["inspect", "./src/gemm.op.ts?tune=wasm", "--include", "*.ts"], "Unknown option `--include`"],
    [["cache", "import"], "command.bad-argument: cache import names no file"],
    [["cache", "gc", "--days", "few"], 'command.bad-argument: --days is "few"'],
    [["tune", "--seconds", "soon"], 'command.bad-argument: --seconds is "soon"'],
  ])("%j is a mistake: exit code 2", (args, message) => {
    const { exitCode, errors } = runCli(root, ...args);
    expect(errors).toContain(message);
    expect(exitCode).toBe(2);
  });

  turn.each([[["tun"]], [["tune", "--bogus"]], [["inspect"]], [[]]])(
    "%j is told in JSON where that is asked for",
    (args) => {
      const { exitCode, output, errors } = runCli(root, ...args, "--json");
      expect([exitCode, errors]).toEqual([2, ""]);
      expect(JSON.parse(output).error).toMatchObject({ code: "command.bad-argument", message: expect.any(String) });
    },
  );

  turn("--help and --version", () => {
    expect(runCli(root, "--help")).toMatchObject({ exitCode: 0 });
    expect(runCli(root, "tune", "--help").output).toContain("--seconds <count>");
    expect(runCli(root, "--version").output).toMatch(/^unplugin-kernel\/\d+\.\d+\.\d+ /);
  });
});

turn.each(["verify", "tune", "bench"])(
  "%s of a project that is not there, or has no kernels, is no success",
  (command) => {
    const root = writeProject({ "src/main.ts": "console.log(1);\n" });
    expect(runCli(root, command, "--root", "nowhere")).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining("command.bad-argument: there is no nowhere"),
    });
    expect(runCli(root, command)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining("command.no-imports: no imports of kernels found in"),
    });
  },
);
