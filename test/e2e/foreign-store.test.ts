// Stores that somebody else could write: nothing planted there runs or ships, `verify` names it, and what was built again takes
// its place. And a whole store of another user.

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { run as tune } from "../../src/cli/actions/tune.ts";
import { run as verify } from "../../src/cli/actions/verify.ts";
import { exportDecisions } from "../../src/cli/decisions/exchange.ts";
import { exitCodes } from "../../src/cli/project/command.ts";
import { openProject } from "../../src/cli/project/project.ts";
import { sha256 } from "../../src/compiler/index.ts";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import { moduleText } from "../../src/plugin/runtime/module-text.ts";
import { writeProject } from "../cli/project.ts";
import { skipReason } from "../native/compiled.ts";
import { buildApp, outputFiles } from "../support/build-app.ts";
import { type PlantName, plantNames, plants } from "../support/foreign-store.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

const why = skipReason ? ` (${skipReason})` : "";

const files = {
  "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`,
  "src/add.op.ts": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 1024 }, ({ N }) => {
  const a = tensor("a", [N], "f32"), b = tensor("b", [N], "f32");
  return compute("c", [N], (i) => a(i).add(b(i)));
});
`,
  "src/main.js": `import gemm from "./gemm.op.ts?tune=avx2";
import add from "./add.op.ts?tune=wasm&sync=0";
const ones = () => new Float32Array(256).fill(1);
console.log(JSON.stringify([gemm(ones(), ones())[0], add(new Float32Array(1024).fill(1), new Float32Array(1024).fill(2))[0]]));
`,
};

afterEach(() => void vi.unstubAllEnvs());

let root = "";
const store = (): string => join(root, "store");
const marker = (): string => join(root, "planted.txt");
const build = () => buildApp("esbuild", root, compileKernel, { mode: "frozen", cacheDir: "store" });
const run = (...flags: [Record<string, unknown>?]) =>
  verify(openProject({ root, cacheDir: store() }, "silent"), [], flags[0] ?? {});

interface Verified {
  readonly kernels: readonly { readonly state: string }[];
  readonly foreign: readonly { readonly what: string }[];
  readonly output: readonly { readonly file: string; readonly state: string }[];
}

const shipped = (): Readonly<Record<string, string>> =>
  Object.fromEntries(outputFiles(root).map((file) => [file, sha256(readFileSync(join(root, "out", file)))]));

let honest: Readonly<Record<string, string>> = {};
let kept = "";
beforeAll(async () => {
  if (skipReason) return;
  root = writeProject(files);
  const open = openProject({ root, cacheDir: store() }, "silent", { seconds: 600, trials: 2 });
  expect((await tune(open, [], { json: true })).exitCode).toBe(exitCodes.done);
  await build();
  honest = shipped();
  kept = mkdtempSync(join(tmpdir(), "kept-"));
  cpSync(store(), kept, { recursive: true });
});

function restored(): void {
  for (const folder of ["store", "out"]) rmSync(join(root, folder), { recursive: true, force: true });
  cpSync(kept, store(), { recursive: true });
}

/** What `verify` calls each plant. */
const names: Readonly<Record<PlantName, RegExp>> = {
  bundle: /^bundled operator of src\/(add|gemm)\.op\.ts/,
  addon: /^addon, facts of src\/gemm\.op\.ts\?tune=avx2$/,
  wasm: /^wasm, facts of src\/add\.op\.ts\?/,
  facts: /facts.* of src\//,
  "dev addon": /^addon for dev servers, addons\/gemm_f32_16x16x16_avx2-[0-9a-f]{16}\.node$/,
  "index line": /^index line$/,
};

describe.skipIf(skipReason)(`a store with a planted${why}`, () => {
  test("nothing ships what is built of the lock: two kernels, an addon and its WASM modules", () => {
    expect(Object.keys(honest).filter((file) => /\.(node|wasm)$/.test(file)).length).toBeGreaterThan(1);
  });

  turn.each(plantNames)("%s: nothing of it runs or ships, and it is replaced", async (name) => {
    restored();
    expect(await plants[name](store(), marker())).toBeGreaterThan(0);
    await build();
    expect(shipped()).toEqual(honest);
    expect(existsSync(marker())).toBe(false);
    const { foreign } = (await run()).json as Verified;
    // Lines of the index stay: cacache appends to its buckets.
    expect(foreign.filter(({ what }) => what !== "index line")).toEqual([]);
  });

  turn.each(plantNames)("%s: `verify` names it, which is no failure, as it cannot ship", async (name) => {
    restored();
    await plants[name](store(), marker());
    const { exitCode, json, text } = await run();
    const { kernels, foreign } = json as Verified;
    expect(foreign.map(({ what }) => what)).toContainEqual(expect.stringMatching(names[name]));
    expect(text).toContain("foreign  ");
    expect(kernels.map(({ state }) => state)).toEqual(["right", "right"]);
    expect(exitCode).toBe(exitCodes.done);
    expect(existsSync(marker())).toBe(false);
  });
});

describe.skipIf(skipReason)(`a store of another user${why}`, () => {
  turn("ships what is built here, and the build says how many entries were not trusted", async () => {
    restored();
    for (const name of ["bundle", "addon", "wasm"] as const) await plants[name](store(), marker());
    vi.stubEnv("UNPLUGIN_KERNEL_STORE_KEY", "77".repeat(32));
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await buildApp("esbuild", root, compileKernel, { mode: "frozen", cacheDir: "store", logLevel: "info" });
    const lines = said.mock.calls.map(([line]) => String(line));
    said.mockRestore();
    expect(lines).toContainEqual(expect.stringMatching(/\d entries of the store are not of this user's builds/));
    expect(shipped()).toEqual(honest);
    expect(existsSync(marker())).toBe(false);
  });

  turn("is its reader's after one build, but for decisions, where the lock's were used", async () => {
    restored();
    vi.stubEnv("UNPLUGIN_KERNEL_STORE_KEY", "77".repeat(32));
    expect(((await run()).json as Verified).foreign.length).toBeGreaterThan(3);
    await build();
    expect(((await run()).json as Verified).foreign.filter(({ what }) => !what.startsWith("decision"))).toEqual([]);
  });

  test("passes none of its decisions on, and says so", async () => {
    restored();
    const exported = async () => exportDecisions(openProject({ root, cacheDir: store() }, "silent"), "decisions.jsonl");
    expect((await exported()).text).toBe("2 decisions in decisions.jsonl");
    vi.stubEnv("UNPLUGIN_KERNEL_STORE_KEY", "77".repeat(32));
    expect((await exported()).text).toBe(
      "0 decisions in decisions.jsonl; left out: 2 decisions that builds of another user, or of an older version, wrote",
    );
  });

  turn("gives decisions, once they were built and run here, and no wrong ones", async () => {
    restored();
    rmSync(join(root, "kernels.lock.json"));
    vi.stubEnv("UNPLUGIN_KERNEL_STORE_KEY", "77".repeat(32));
    const open = openProject({ root, cacheDir: store() }, "silent", { seconds: 600, trials: 2 });
    const { json } = await tune(open, [], { json: true });
    expect(JSON.stringify(json)).toContain('"store"');
    expect(((await run()).json as Verified).kernels.map(({ state }) => state)).toEqual(["right", "right"]);
  });
});

describe.skipIf(skipReason)(`verify --output${why}`, () => {
  turn("names what is not built of the lock: a file, and a module in a script", async () => {
    restored();
    await build();
    const { exitCode, json } = await run({ output: "out" });
    const states = (verified: unknown) => new Set((verified as Verified).output.map(({ state }) => state));
    expect([exitCode, states(json)]).toEqual([exitCodes.done, new Set(["right"])]);
    const addon = readdirSync(join(root, "out")).find((file) => file.endsWith(".node"))!;
    writeFileSync(join(root, "out", addon), "planted");
    writeFileSync(join(root, "out/extra.node"), "of another package");
    writeFileSync(join(root, "out/more.js"), `x = { text: "${moduleText(Buffer.from("\0asm\x01\0\0\0planted"))}" };`);
    const bad = await run({ output: "out" });
    expect(bad.exitCode).toBe(exitCodes.wrong);
    expect((bad.json as Verified).output.filter(({ state }) => state !== "right")).toEqual([
      { file: "extra.node", state: "other" },
      { file: addon, state: "wrong" },
      { file: "more.js, a module in it", state: "wrong" },
    ]);
  });

  test("of a folder that is not there is a mistake in the command", async () => {
    restored();
    await expect(run({ output: "nowhere" })).rejects.toThrow("command.bad-argument: there is no nowhere");
  });
});
