// Decisions that were tuned for other cache sizes serve every machine of the class: from packs and remote stores, as through a lock. Each is
// rebuilt with the sizes that it was tuned for, checked and measured here.

import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import type { Machine } from "../../../../src/native/machine/machine.ts";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import type { KernelPluginOptions } from "../../../../src/plugin/options/types.ts";
import { summarize } from "../../../../src/plugin/session/summary.ts";
import type { LockEntry } from "../../../../src/tuner/lock/lock-entry.ts";
import { printExchange, type SharedDecision } from "../../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../../src/tuner/store/store-contents.ts";
import { isHere } from "../../../skips/environment.js";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, type CompileCase, compileIn, gemmText, machineWith } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { nativeOf, wasmOf } from "../../../support/parts-of.ts";
import { type Double, startDouble } from "../../../support/remote/double.ts";
import { offerAt } from "../../../support/remote/share.ts";
import { writePack } from "../../../support/write-pack.ts";

const turn = inTurn(7);

const isNative = (await detectToolchains()).length > 0 && isHere("avx2");
const lacks = " (needs a C compiler, avx2)";
const lockName = "src/gemm.op.ts?tune=wasm";
const other = machineWith(48 * 1024);
const own = machineWith(16 * 1024);
/** Under such caches the operator has no schedule: a build can only take a decision with the caches that it was tuned for. */
const tiny = machineWith(64);

/** Compiles, with the least tuning there is: it is not about the best schedule. */
const compile = (root: string, { request, ...rest }: CompileCase) =>
  compileIn(root, { request: { budget: { seconds: 600, trials: 1 }, ...request }, ...rest });

const app = (): string => writeApp({ "src/gemm.op.ts": gemmText({ terms: 48 }) });
const decisionIn = async (root: string): Promise<SharedDecision> => (await storedDecisions(`${root}/store`))[0]!;
async function tunedOn(machine: Machine): Promise<SharedDecision> {
  const root = app();
  await compile(root, { machine });
  return decisionIn(root);
}
const lockOf = (root: string): LockEntry =>
  JSON.parse(readFileSync(`${root}/kernels.lock.json`, "utf8")).kernels[lockName];

let server: Double;
let decision: SharedDecision;
/** Decision for the machine itself. */
let exact: SharedDecision;
beforeAll(async () => {
  server = await startDouble();
  decision = await tunedOn(other);
  exact = await tunedOn(own);
});
afterAll(() => server.close());
beforeEach(() => {
  server.behave(null);
  server.files.clear();
  server.asked.length = 0;
});

/** The decision, saying other sizes of itself. */
const sized = (sizes: object): SharedDecision => ({ ...decision, tunedFor: { ...decision.tunedFor!, ...sizes } });

interface Source {
  readonly origin: "pack" | "remote";
  /** Lays down a decision for the class, and perhaps one for the machine itself; returns the options that lead to them. */
  readonly offer: (root: string, ofClass: SharedDecision, exact?: SharedDecision) => KernelPluginOptions;
  /** Start of a warning. */
  readonly refuses: string;
}

const sources: readonly Source[] = [
  {
    origin: "pack",
    offer(root, ofClass, exact) {
      writePack(root, { name: "tuned", decisions: [ofClass, ...(exact ? [exact] : [])] });
      return { packs: ["tuned"] };
    },
    refuses: `${lockName}: nothing is taken from pack tuned: `,
  },
  {
    origin: "remote",
    offer(_, ofClass, exact) {
      offerAt(server, "/store", ofClass.tunedFor!.class, ofClass);
      if (exact) offerAt(server, "/store", exact.key, exact);
      return { remote: `${server.url}/store` };
    },
    refuses: `${lockName}: nothing is taken from the remote store: `,
  },
];

describe.each(sources)("from a $origin", ({ origin, offer, refuses }) => {
  turn.each([
    ["other caches", own],
    ["caches under which nothing else could be built", tiny],
  ])("a decision is taken on a machine of %s; store and lock say for which it was tuned", async (_, machine) => {
    const root = app();
    const options = offer(root, decision);
    const { kernel, warnings } = await compile(root, { machine, options });
    expect(warnings).toEqual([]);
    expect(kernel).toMatchObject({ origin, measurements: 0, isForOtherCaches: true });
    expect(lockOf(root)).toMatchObject({ target: other.caches!, source: decision.source });
    const stored = await decisionIn(root);
    expect(stored.key).not.toBe(decision.key);
    expect(stored).toMatchObject({ tunedFor: decision.tunedFor, source: decision.source });
    // It was measured here, and the measurement says so.
    expect(stored.measured.machine).toContain(`l1=${machine.caches!.l1Bytes} `);
    expect(lockOf(root).measured!.machine).toBe(stored.measured.machine);
    // A frozen build makes the same bytes of the lock, and a store without a lock does, too.
    const frozen = await compile(root, { machine, options: { mode: "frozen" } });
    expect(frozen.kernel).toMatchObject({ origin: "lock", isForOtherCaches: true });
    expect(wasmOf(frozen.kernel)!.bytes).toEqual(wasmOf(kernel)!.bytes);
    rmSync(`${root}/kernels.lock.json`);
    expect((await compile(root, { machine })).kernel.origin).toBe("store");
    expect(lockOf(root)).toMatchObject({ target: other.caches! });
  });

  turn("the decision for the machine itself wins", async () => {
    const root = app();
    const { kernel } = await compile(root, { machine: own, options: offer(root, decision, exact) });
    expect(kernel).toMatchObject({ origin, isForOtherCaches: false });
    expect(lockOf(root)).toMatchObject({ target: own.caches! });
  });

  turn.each([
    ["sizes under which the decision is not in the space", { l1Bytes: 64, l2Bytes: 64, l3Bytes: 64 }],
    ["no caches at all", { l1Bytes: 0, l2Bytes: 0, l3Bytes: 0 }],
    ["odd sizes", { l1Bytes: 3, l2Bytes: 1, l3Bytes: 2 ** 40 }],
  ])("%s are a wrong decision, and the kernel is tuned", async (_, sizes) => {
    const root = app();
    const { kernel, warnings } = await compile(root, { machine: own, options: offer(root, sized(sizes)) });
    expect(kernel.origin).toBe("tuned");
    expect(warnings).toEqual([`${refuses}its decisions do not lead to its source`]);
  });

  turn.each<[string, object, string]>([
    ["negative", { l1Bytes: -1 }, "tunedFor.l1Bytes must be an integer in 0..1099511627776"],
    ["huge", { l2Bytes: 1e300 }, "tunedFor.l2Bytes must be an integer in 0..1099511627776"],
    ["no number", { l3Bytes: "48K" }, "tunedFor.l3Bytes must be an integer in 0..1099511627776"],
    ["missing", { l3Bytes: undefined }, "tunedFor.l3Bytes must be an integer in 0..1099511627776"],
    ["of another field, too", { l4Bytes: 1 }, "tunedFor.l4Bytes must be absent"],
  ])("sizes that are %s are refused, and the kernel is tuned", async (_, sizes, why) => {
    const root = app();
    const bad = { ...decision, tunedFor: JSON.parse(JSON.stringify({ ...decision.tunedFor, ...sizes })) };
    const { kernel, warnings } = await compile(root, { machine: own, options: offer(root, bad) });
    expect(kernel.origin).toBe("tuned");
    expect(warnings).toEqual([expect.stringContaining(why)]);
  });

  turn("where the decision for the machine itself is wrong, that of its class is taken", async () => {
    const root = app();
    const options = offer(root, decision, { ...exact, source: "0".repeat(64) });
    const { kernel, warnings } = await compile(root, { machine: own, options });
    expect(kernel).toMatchObject({ origin, isForOtherCaches: true });
    expect(warnings).toEqual([`${refuses}its decisions do not lead to its source`]);
  });

  turn("a decision for another class that claims this one is refused", async () => {
    const root = app();
    const options = offer(root, { ...decision, source: "0".repeat(64) });
    const { kernel, warnings } = await compile(root, { machine: own, options });
    expect(kernel.origin).toBe("tuned");
    expect(warnings).toEqual([`${refuses}its decisions do not lead to its source`]);
  });
});

turn.skipIf(!isNative)(`an addon is built of the sizes that it was tuned for${isNative ? "" : lacks}`, async () => {
  const request = { target: "avx2" } as const;
  const origin = app();
  await compile(origin, { machine: other, request });
  const root = app();
  writePack(root, { name: "tuned", decisions: [await decisionIn(origin)] });
  const taken = await compile(root, { machine: tiny, request, options: { packs: ["tuned"] } });
  expect(taken).toMatchObject({ warnings: [], kernel: { origin: "pack", measurements: 0, compilerRuns: 1 } });
  const frozen = await compile(root, { machine: own, request, options: { mode: "frozen" } });
  expect(frozen.kernel).toMatchObject({ origin: "lock", compilerRuns: 0 });
  expect(nativeOf(frozen.kernel)!.bytes).toEqual(nativeOf(taken.kernel)!.bytes);
});

turn(
  "the decision for another machine in the first pack does not displace that for this one in the second",
  async () => {
    const root = app();
    writePack(root, { name: "first", decisions: [decision] });
    writePack(root, { name: "second", decisions: [exact] });
    const { kernel } = await compile(root, { machine: own, options: { packs: ["first", "second"] } });
    expect(kernel).toMatchObject({ origin: "pack", isForOtherCaches: false });
  },
);

turn("a line without sizes serves the machine of its key alone", async () => {
  const { tunedFor: _, ...old } = decision;
  const options = { packs: ["old"] };
  for (const [machine, origin] of [
    [other, "pack"],
    [own, "tuned"],
  ] as const) {
    const root = app();
    writePack(root, { name: "old", decisions: [], text: printExchange([old]) });
    expect((await compile(root, { machine, options })).kernel.origin).toBe(origin);
  }
});

turn(
  "what is tuned is put into a remote store for its machine and once for its class, and serves another machine",
  async () => {
    const remote = { url: `${server.url}/store`, mode: "read-write" } as const;
    await compile(app(), { machine: other, options: { remote } });
    const entries = [...server.files.keys()].filter((name) => name.includes("/ac/"));
    expect(entries).toHaveLength(2);
    const before = new Map(server.files);
    // The first of a class stays.
    const again = await compile(app(), { machine: own, options: { remote }, request: { mode: "again" } });
    expect(again.kernel.origin).toBe("tuned");
    for (const name of entries) expect(server.files.get(name)).toEqual(before.get(name));
    expect([...server.files.keys()].filter((name) => name.includes("/ac/"))).toHaveLength(3);
    const third = await compile(app(), { machine: machineWith(24 * 1024), options: { remote } });
    expect(third).toMatchObject({ warnings: [], kernel: { origin: "remote", isForOtherCaches: true } });
    expect(summarize([third.kernel], "kernels.lock.json", 1)).toMatch(
      /^1 kernel from the remote store \(tuned for other caches\), 0 measured, /,
    );
  },
);

turn("a miss costs two requests at most, and one where the class is known to be missing", async () => {
  const tunings = buildTunings();
  const options = { remote: `${server.url}/store` };
  for (const l1Bytes of [16 * 1024, 32 * 1024, 16 * 1024])
    await compile(app(), { machine: machineWith(l1Bytes), options, tunings });
  const keys = server.asked.map((line) => line.split("/ac/")[1]);
  expect(keys).toHaveLength(4);
  expect([keys[0], keys[1]]).toEqual([keys[3], decision.tunedFor!.class]);
});

turn("where an entry is no decision, that of its class is taken; what is said of both is said once", async () => {
  const options = { remote: `${server.url}/store` };
  offerAt(server, "/store", decision.tunedFor!.class, decision);
  server.files.set(`/store/ac/${exact.key}`, Buffer.from("<html>"));
  const { kernel, warnings } = await compile(app(), { machine: own, options });
  expect(kernel).toMatchObject({ origin: "remote", isForOtherCaches: true });
  const why = "its entry is no ActionResult with a file decision.jsonl";
  const said = [`${lockName}: nothing is taken from the remote store: ${why}`];
  expect(warnings).toEqual(said);
  server.behave((_, response) => void response.writeHead(200).end("<html>"));
  expect(await compile(app(), { machine: own, options })).toMatchObject({
    kernel: { origin: "tuned" },
    warnings: said,
  });
});

turn("one wrong entry under both keys is tried once", async () => {
  const options = { remote: `${server.url}/store` };
  const bad = { ...exact, source: "0".repeat(64) };
  for (const key of [exact.key, exact.tunedFor!.class]) offerAt(server, "/store", key, bad);
  const { kernel, warnings } = await compile(app(), { machine: own, options });
  expect([kernel.origin, warnings.length]).toEqual(["tuned", 1]);
});

turn("a server that fails is not asked for the class after it has failed for the key", async () => {
  server.behave((_, response) => void response.writeHead(500).end());
  await compile(app(), { machine: own, options: { remote: `${server.url}/store` } });
  expect(server.asked).toHaveLength(1);
});
