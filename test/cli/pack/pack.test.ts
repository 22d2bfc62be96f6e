// `pack`: the decisions of one project as an npm package, which another project installs and builds from without a search.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { codegenVersion } from "../../../src/compiler/index.ts";
import { inTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(5);

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const kernel = "src/gemm.op.ts?tune=wasm";
const files = {
  "package.json": JSON.stringify({ name: "origin", license: "MIT", type: "module" }),
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(JSON.stringify([gemm.info.gflops]));\n',
};

let origin: string;
beforeAll(() => {
  origin = writeProject(files);
  runCli(origin, "tune", "--seconds", "600", "--trials", "4");
});

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(origin, folder, "package.json"), "utf8"));

turn("a pack that is written again keeps the signature of the same decisions alone, and an export does", () => {
  const cases = [
    ["packs/signed/decisions.jsonl", () => runCli(origin, "pack", "packs/signed")],
    ["exported.jsonl", () => runCli(origin, "cache", "export", "exported.jsonl")],
  ] as const;
  for (const [name, write] of cases) {
    const [file, signature] = [join(origin, name), join(origin, `${name}.sigstore.json`)];
    expect(write().exitCode).toBe(0);
    writeFileSync(signature, "of these decisions");
    expect(write().output).not.toContain("signature");
    expect(readFileSync(signature, "utf8")).toBe("of these decisions");
    writeFileSync(file, "other decisions");
    expect(write().output).toContain(`its signature was of other decisions, and is removed: cache sign ${name}`);
    expect([existsSync(file), existsSync(signature)]).toEqual([true, false]);
  }
});

describe("the package", () => {
  turn("has what npm wants to know, the decisions, and a page that lists them", () => {
    const { exitCode, output } = runCli(origin, "pack", "packs/tuned", "--name", "@team/tuned-kernels");
    expect(exitCode).toBe(0);
    expect(output).toContain(kernel);
    expect(manifestIn("packs/tuned")).toEqual({
      name: "@team/tuned-kernels",
      version: "1.0.0",
      description: "Tuned schedules of kernels for unplugin-kernel",
      license: "MIT",
      keywords: ["unplugin-kernel", "unplugin-kernel-pack"],
      files: ["decisions.jsonl", "decisions.jsonl.sigstore.json"],
      unpluginKernel: { pack: 1, codegen: codegenVersion, decisions: "decisions.jsonl" },
    });
    const [header] = readFileSync(join(origin, "packs/tuned/decisions.jsonl"), "utf8").split("\n");
    expect(JSON.parse(header!)).toMatchObject({ decisions: 1 });
    expect(readFileSync(join(origin, "packs/tuned/README.md"), "utf8")).toContain(`| \`${kernel}\` | `);
  });

  turn(
    "keeps its name and its owner's fields when it is written again, and gets a new version with other decisions",
    () => {
      runCli(origin, "pack", "packs/again");
      expect(manifestIn("packs/again")).toMatchObject({ name: "origin-kernels", version: "1.0.0" });
      const file = join(origin, "packs/again/package.json");
      writeFileSync(
        file,
        JSON.stringify({ ...manifestIn("packs/again"), version: "2.3.4", homepage: "https://a.example" }),
      );
      runCli(origin, "pack", "packs/again");
      expect(manifestIn("packs/again")).toMatchObject({ version: "2.3.4", homepage: "https://a.example" });
      writeFileSync(join(origin, "packs/again/decisions.jsonl"), "");
      runCli(origin, "pack", "packs/again");
      expect(manifestIn("packs/again")).toMatchObject({ name: "origin-kernels", version: "2.3.5" });
    },
  );

  turn("is not written over another package, without a name, or without a decision", () => {
    const over = runCli(origin, "pack", ".");
    expect(over).toMatchObject({ exitCode: 1, errors: expect.stringMatching(/^exchange\.unwritable: .* is no pack/) });
    mkdirSync(join(origin, "written"));
    writeFileSync(join(origin, "written/README.md"), "by hand");
    expect(runCli(origin, "pack", "written").errors).toContain("has a README.md that is of no pack");
    expect(readFileSync(join(origin, "written/README.md"), "utf8")).toBe("by hand");
    expect(runCli(origin, "pack", "packs/bad", "--name", "../x")).toMatchObject({ exitCode: 2 });
    expect(runCli(origin, "pack", "src/main.ts/x").errors).toContain("exchange.unwritable");
    const untuned = writeProject(files);
    const nothing = runCli(untuned, "pack", "packs/none");
    expect(nothing).toMatchObject({ exitCode: 1 });
    expect(nothing.errors).toContain(`left out  ${kernel}: it has not been tuned\nnothing is written`);
    expect(existsSync(join(untuned, "packs"))).toBe(false);
  });
});

/** A project that has installed the package from the file that npm would publish. */
function installed(): string {
  runCli(origin, "pack", "packs/published", "--name", "@team/tuned-kernels");
  const npm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund", "--cache", join(cwd, ".npm")], {
      cwd,
      encoding: "utf8",
      stdio: "pipe",
    });
  const shelf = mkdtempSync(join(tmpdir(), "shelf-"));
  const packed = npm(origin, "pack", "./packs/published", "--json", "--pack-destination", shelf);
  const [{ filename, files: inside }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  expect(inside.map(({ path }) => path).toSorted()).toEqual(["README.md", "decisions.jsonl", "package.json"]);
  const root = mkdtempSync(join(tmpdir(), "consumer-"));
  mkdirSync(join(root, "src"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  npm(root, "install", join(shelf, filename));
  symlinkSync(repository, join(root, "node_modules/unplugin-kernel"), "junction");
  return root;
}

turn("another project that installs it builds without a search", () => {
  const root = installed();
  const [row] = JSON.parse(runCli(root, "tune", "--pack", "@team/tuned-kernels", "--json").output).kernels;
  expect(row).toMatchObject({ kernel, origin: "pack", measured: 0, error: null });
  expect(existsSync(join(root, "node_modules/.cache/unplugin-kernel/records.jsonl"))).toBe(false);
  const script = `
    import { build } from "esbuild";
    import kernel from "unplugin-kernel/esbuild";
    const options = { mode: "tune", packs: ["@team/tuned-kernels"], cacheDir: "fresh", lockfile: "fresh.lock.json" };
    await build({ entryPoints: ["src/main.ts"], bundle: true, platform: "node", format: "esm", outdir: "out",
      logLevel: "silent", plugins: [kernel(options)] });
  `;
  symlinkSync(join(repository, "node_modules/esbuild"), join(root, "node_modules/esbuild"), "junction");
  writeFileSync(join(root, "build.mjs"), script);
  const built = execFileSync(process.execPath, ["build.mjs"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(built).toBe("");
  const lock = JSON.parse(readFileSync(join(root, "fresh.lock.json"), "utf8"));
  expect(lock.kernels[kernel].measured).toMatchObject({ trials: 1 });
  const [gflops] = JSON.parse(execFileSync(process.execPath, ["out/main.js"], { cwd: root, encoding: "utf8" }));
  expect(Number(gflops.toPrecision(4))).toBe(lock.kernels[kernel].measured.gflops);
});

test("a pack that is not there is an error of the command line too", () => {
  const { exitCode, errors } = runCli(origin, "tune", "--pack", "@team/missing");
  expect(exitCode).toBe(1);
  expect(errors).toContain("packs.not-found: option packs names @team/missing");
});
