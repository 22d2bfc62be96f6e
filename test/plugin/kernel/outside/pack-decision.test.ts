// Packs of a project: the first that decides a kernel counts, once it was checked and measured here; what is wrong with one is said once.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSession } from "../../../../src/plugin/session/session.ts";
import { openDatabase } from "../../../../src/tuner/record/database.ts";
import { printExchange, type SharedDecision } from "../../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../../src/tuner/store/store-contents.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { type Double, startDouble } from "../../../support/remote/double.ts";
import { offerAt } from "../../../support/remote/share.ts";
import { type WrittenPack, writePack } from "../../../support/write-pack.ts";

const turn = inTurn(3);

const lockName = "src/gemm.op.ts?tune=wasm";
let decision: SharedDecision;
let server: Double;
const origin = writeApp({ "src/gemm.op.ts": gemmText() });
beforeAll(async () => {
  server = await startDouble();
  await compileIn(origin);
  decision = (await storedDecisions(`${origin}/store`))[0]!;
});
afterAll(() => server.close());

/** An app that has installed the packs. */
function appWith(...packs: readonly WrittenPack[]): string {
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  for (const pack of packs) writePack(root, pack);
  return root;
}

/** Builds with packs, first to last, and returns what was said too. */
async function buildWith(root: string, packs: readonly string[], options: object = {}) {
  const said: string[] = [];
  const { kernel, warnings } = await compileIn(root, {
    options: { packs, ...options },
    change: ({ services }) => ({
      services: { ...services, log: { ...services.log, info: (line) => void said.push(line) } },
    }),
  });
  return { kernel, warnings, said };
}

const pack = (name: string, change: Partial<WrittenPack> = {}): WrittenPack => ({
  name,
  decisions: [decision],
  ...change,
});

turn("a decision is taken without a search, measured here, then lock and store have it", async () => {
  const root = appWith(pack("@team/kernels"));
  const { kernel, warnings, said } = await buildWith(root, ["@team/kernels"]);
  expect(kernel).toMatchObject({ origin: "pack", measurements: 0 });
  expect({ warnings, said }).toEqual({ warnings: [], said: [] });
  expect(existsSync(join(root, "store/records.jsonl"))).toBe(false);
  expect(await storedDecisions(`${root}/store`)).toMatchObject([
    { key: decision.key, source: decision.source, measured: { trials: 1, toolchain: "wasm" } },
  ]);
  expect((await buildWith(root, ["@team/kernels"])).kernel).toMatchObject({ origin: "lock" });
  rmSync(join(root, "kernels.lock.json"));
  expect((await buildWith(root, ["@team/kernels"])).kernel).toMatchObject({ origin: "store" });
});

turn("packs are asked before a remote store, which is asked for the others", async () => {
  offerAt(server, "/store", decision.key, decision);
  const root = appWith(pack("mine"), pack("empty", { decisions: [] }));
  const remote = { remote: `${server.url}/store` };
  expect((await buildWith(root, ["mine"], remote)).kernel.origin).toBe("pack");
  expect(server.asked).toEqual([]);
  const other = appWith(pack("empty", { decisions: [] }));
  expect((await buildWith(other, ["empty"], remote)).kernel.origin).toBe("remote");
});

describe("of two packs", () => {
  /** Decision of another candidate that was measured. */
  async function another(): Promise<SharedDecision> {
    const records = openDatabase(`${origin}/store/records.jsonl`).records({ task: null, targetClass: null });
    const key = (it: object): string => JSON.stringify(it);
    const { candidate } = records.find((it) => key(it.candidate) !== key(decision.candidate))!;
    return { ...decision, candidate, source: "0".repeat(64) };
  }

  test("the first counts, and it is said that the other has another decision", async () => {
    const root = appWith(pack("first"), pack("second", { decisions: [await another()] }));
    const { kernel, warnings, said } = await buildWith(root, ["first", "second"]);
    expect(kernel.origin).toBe("pack");
    expect(warnings).toEqual([]);
    expect(said).toEqual([`${lockName}: first decides; another decision is in second`]);
  });

  turn("the second counts where the first's decision is refused", async () => {
    const root = appWith(pack("first"), pack("second", { decisions: [await another()] }));
    const { kernel, warnings, said } = await buildWith(root, ["second", "first"]);
    expect(kernel.origin).toBe("pack");
    expect(warnings).toEqual([
      `${lockName}: nothing is taken from pack second: its decisions do not lead to its source`,
    ]);
    expect(said).toEqual([]);
  });

  turn("that agree nothing is said", async () => {
    const root = appWith(pack("first"), pack("second"));
    expect((await buildWith(root, ["second", "first"])).said).toEqual([]);
  });
});

describe("a pack that cannot be used is left out, and the kernel is tuned", () => {
  turn("of another code generator: a note", async () => {
    const root = appWith(pack("old", { codegen: "7" }));
    const { kernel, warnings, said } = await buildWith(root, ["old"]);
    expect(kernel.origin).toBe("tuned");
    expect(warnings).toEqual([]);
    expect(said).toEqual(["pack old is left out: it was made for code generator 7"]);
  });

  turn.each<[string, Partial<WrittenPack>, string]>([
    ["a line that is wrong", { text: `${printExchange([])}x\n` }, "decisions.jsonl:2: it is no JSON"],
    [
      "a package that is no pack",
      { manifest: { name: "bad" } },
      "package.json: it has no field unpluginKernel: the package is no pack",
    ],
    [
      "a pack of a later form",
      { manifest: { name: "bad", unpluginKernel: { pack: 2, codegen: "19", decisions: "decisions.jsonl" } } },
      "package.json: unpluginKernel.pack must be 1",
    ],
  ])("%s: a warning with its place, once a build", async (_, change, why) => {
    const root = appWith(pack("bad", change));
    const tunings = buildTunings();
    const warnings: string[] = [];
    for (const M of [2, 3]) {
      const request = { parameters: { M }, budget: { seconds: 600, trials: 1 } };
      const { kernel } = await compileIn(root, { options: { packs: ["bad"] }, request, tunings, warnings });
      expect(kernel.origin).toBe("tuned");
    }
    expect(warnings).toEqual([`nothing is taken from pack bad: ${why}`]);
  });
});

test("a pack that is not installed is an error, of a build from its start", async () => {
  const root = appWith();
  await expect(buildWith(root, ["@team/kernels"])).rejects.toThrow(
    `packs.not-found: option packs names @team/kernels, which is not installed in ${root}`,
  );
  const session = createSession({ root, packs: ["@team/kernels"], mode: "frozen", logLevel: "silent" }, () =>
    Promise.reject(new Error("nothing is compiled")),
  );
  expect(() => session.begin()).toThrow("packs.not-found");
});
