// The same lock and the same compiler give the same files, byte for byte, wherever and by whomever they are built: in another
// folder, under another umask, time zone, language, host name and date, with another store, by each bundler.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateC, targets } from "../../src/compiler/index.ts";
import { buildNative } from "../../src/native/addon/build.ts";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import { packedGemm } from "../compiler/codegen/c/flat-functions.ts";
import { hosts as allHosts, writeApp } from "../support/build-app.ts";
import { compileIn, gemmText } from "../support/compile-app.ts";
import { someOf } from "../support/long.ts";
import { hasNamespaces, inNamespaces } from "../support/namespaces.ts";

const repository = join(import.meta.dirname, "../..");
/** Those of a run: each is built twice. */
const hosts = someOf(allHosts, 2);
const toolchains = await detectToolchains();

const main = `
import wasm from "./gemm.op.ts?tune=wasm";
import native from "./gemm.op.ts?tune=avx2";
const [A, B] = [new Float32Array(64).fill(2), new Float32Array(128).fill(3)];
console.log(JSON.stringify([wasm(A, B)[0], native(A, B)[0]]));
`;

/** Two places that have nothing in common but the project's files. */
const places = [
  { folder: "a", umask: "022", env: { TZ: "UTC", LC_ALL: "C" }, command: [] },
  {
    folder: "some where/ü/else",
    umask: "077",
    env: { TZ: "Asia/Kolkata", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", SOURCE_DATE_EPOCH: "1" },
    // A host name of its own where it may have one.
    command: hasNamespaces
      ? [...inNamespaces("--uts"), "sh", "-c", 'hostname elsewhere && [ "$(hostname)" = elsewhere ] && exec "$@"', "sh"]
      : [],
  },
] as const;

let temporary = "";
const rootOf = (at: number): string => join(temporary, places[at]!.folder);

/** A checkout of the project, with the package of this repository and its dependencies. */
function checkOut(app: string, root: string): void {
  const modules = join(root, "node_modules");
  mkdirSync(join(modules, "unplugin-kernel/src"), { recursive: true });
  for (const name of ["src", "kernels.lock.json"]) cpSync(join(app, name), join(root, name), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  for (const name of readdirSync(join(repository, "node_modules")))
    if (name !== "unplugin-kernel" && name !== ".cache")
      symlinkSync(join(repository, "node_modules", name), join(modules, name));
  for (const name of ["dist", "src/native", "package.json"])
    cpSync(join(repository, name), join(modules, "unplugin-kernel", name), {
      recursive: true,
      filter: (path) => !path.startsWith(join(repository, "dist/test")),
    });
}

function buildIn(at: number): void {
  const { umask, env, command } = places[at]!;
  const root = rootOf(at);
  const own = join(temporary, `temporary of ${at}`);
  mkdirSync(own);
  cpSync(join(repository, "test/support/build-everywhere.js"), join(root, "build.js"));
  const shell = ["sh", "-c", `umask ${umask} && exec "$@"`, "sh"];
  const [name, ...args] = [...command, ...shell, process.execPath, "build.js", ...hosts];
  const { status, stderr, stdout } = spawnSync(name!, args, {
    cwd: root,
    env: { ...process.env, ...env, TMPDIR: own, CI: "" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}

/** Files of an output, by their paths in it. */
function outputOf(at: number, host: string): ReadonlyMap<string, Buffer> {
  const folder = join(rootOf(at), host);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)]));
}

describe("from one lock", () => {
  beforeAll(async () => {
    temporary = mkdtempSync(join(tmpdir(), "deterministic-"));
    const app = writeApp({ "src/main.js": main, "src/gemm.op.ts": gemmText() });
    for (const target of ["wasm", "avx2"] as const) await compileIn(app, { request: { target } });
    for (const at of places.keys()) {
      checkOut(app, rootOf(at));
      buildIn(at);
    }
  });
  afterAll(() => rmSync(temporary, { recursive: true, force: true }));

  it.each(hosts)("%s writes the same files everywhere, which name no folder and no machine", (host) => {
    const [here, there] = [outputOf(0, host), outputOf(1, host)];
    const kinds = (names: Iterable<string>): number =>
      new Set([...names].map((name) => name.split(".").at(-1)).filter((kind) => /^(node|mjs)$/.test(kind!))).size;
    expect(kinds(here.keys())).toBe(toolchains.length > 0 ? 2 : 1);
    expect([...there.keys()]).toEqual([...here.keys()]);
    const differing = [...here].filter(([name, bytes]) => !bytes.equals(there.get(name)!));
    expect(differing.map(([name]) => name)).toEqual([]);
    const secrets = [temporary, repository, homedir(), hostname(), "elsewhere"].filter((it) => it.length > 5);
    const naming = [...here].flatMap(([name, bytes]) =>
      secrets.filter((secret) => bytes.includes(secret)).map((secret) => `${name} names ${secret}`),
    );
    expect(naming).toEqual([]);
  });

  it("the program that they make is right", () => {
    for (const host of hosts) {
      const output = execFileSync(process.execPath, [join(rootOf(1), host, "main.mjs")], { encoding: "utf8" });
      expect(JSON.parse(output), host).toEqual([48, 48]);
    }
  });
});

describe.skipIf(toolchains.length === 0)("compiled twice", () => {
  it.each(toolchains.map(({ family }) => family))("by %s, an addon is the same", async (family) => {
    const toolchain = toolchains.find((it) => it.family === family)!;
    const gemm = generateC(packedGemm({ m: 4, n: 16, k: 4 }, { mr: 2, nr: 16, lanes: 8 }), targets.avx2, {
      numerics: "fast",
    });
    const folder = mkdtempSync(join(tmpdir(), "twice-"));
    const built = [];
    for (const bench of [false, false]) built.push(await buildNative([gemm], { outDir: folder, toolchain, bench }));
    const [one, other] = built.map((it) => (it.kind === "native" ? it.path : it.reason));
    expect(other).toBe(one);
    expect(readdirSync(folder)).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });
});
