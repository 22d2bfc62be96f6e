// A build with a shared store: what it has is used without measuring, once it was rebuilt and checked; what is wrong with it is said,
// and the kernel is tuned.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { LockEntry } from "../../../../src/tuner/lock/lock-entry.ts";
import type { SharedDecision } from "../../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../../src/tuner/store/store-contents.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { type Double, startDouble } from "../../../support/remote/double.ts";
import { offerAt } from "../../../support/remote/share.ts";

const turn = inTurn(7);

let server: Double;
let decision: SharedDecision;
beforeAll(async () => {
  server = await startDouble();
  const root = writeApp({ "src/gemm.op.ts": gemmText() });
  await compileIn(root);
  decision = (await storedDecisions(`${root}/store`))[0]!;
});
afterAll(() => server.close());
beforeEach(() => {
  server.behave(null);
  server.files.clear();
  server.asked.length = 0;
});

const offer = (offered: SharedDecision): void => offerAt(server, "/store", decision.key, offered);
const app = (): string => writeApp({ "src/gemm.op.ts": gemmText() });
const options = () => ({ remote: `${server.url}/store/` });

/** The decision, claiming another time. */
const claiming = (medianNs: number): SharedDecision => {
  const { measured } = decision;
  const gflops = (measured.gflops * measured.medianNs) / medianNs;
  return { ...decision, measured: { ...measured, medianNs, gflops, trials: 4321 } };
};

turn("its decision is taken, then the store and the lock have it, with its speed here", async () => {
  offer(claiming(decision.measured.medianNs * 1000));
  const root = app();
  const { kernel, warnings } = await compileIn(root, { options: options() });
  expect(kernel).toMatchObject({ origin: "remote", measurements: 0 });
  expect(warnings).toEqual([]);
  const [stored, ...others] = await storedDecisions(`${root}/store`);
  expect(others).toEqual([]);
  expect({ ...stored, measured: null }).toEqual({ ...decision, measured: null });
  expect(stored!.measured).toMatchObject({ machine: decision.measured.machine, toolchain: "wasm", trials: 1 });
  expect(stored!.measured.medianNs).toBeLessThan(decision.measured.medianNs * 500);
  expect(kernel.gflops).toBe(Number(stored!.measured.gflops.toPrecision(4)));
  const lock = JSON.parse(readFileSync(`${root}/kernels.lock.json`, "utf8"));
  const [entry] = Object.values<LockEntry>(lock.kernels);
  expect(entry!.measured).toMatchObject({ trials: 1, gflops: kernel.gflops });
  expect((await compileIn(root, { options: options() })).kernel).toMatchObject({ origin: "lock" });
  expect(server.asked).toEqual([`GET /store/ac/${decision.key}`, expect.stringMatching(/^GET \/store\/cas\//)]);
});

turn("what it does not have is tuned", async () => {
  const { kernel, warnings } = await compileIn(app(), { options: options() });
  expect(kernel).toMatchObject({ origin: "tuned" });
  expect(warnings).toEqual([]);
});

turn.each<[string, (right: SharedDecision) => SharedDecision, string]>([
  ["another source", (right) => ({ ...right, source: "0".repeat(64) }), "its decisions do not lead to its source"],
  [
    "decisions outside of the space",
    (right) => ({ ...right, candidate: { ...right.candidate, assignment: { "C.i.register": 7 } } }),
    "its decisions do not lead to its source",
  ],
  ["a time that no machine reaches", () => claiming(1), "no machine is so fast: it claims 1 ns"],
  [
    "a speed that does not belong to its time",
    (right) => ({ ...right, measured: { ...right.measured, gflops: 1e9 } }),
    "it contradicts itself: 1000000000 GFLOP/s for",
  ],
])("%s is not taken, and the kernel is tuned", async (_, change, why) => {
  offer(change(decision));
  const { kernel, warnings } = await compileIn(app(), { options: options() });
  expect(kernel).toMatchObject({ origin: "tuned" });
  const start = `src/gemm.op.ts?tune=wasm: nothing is taken from the remote store: ${why}`;
  expect(warnings).toEqual([expect.stringContaining(start)]);
});

turn("a server that is broken costs its kernels a warning, three at most in a build", async () => {
  server.behave((_, response) => void response.writeHead(500).end());
  const tunings = buildTunings();
  const warnings: string[] = [];
  const root = app();
  for (const M of [2, 3, 4, 5]) {
    const request = { parameters: { M }, budget: { seconds: 600, trials: 1 } };
    const { kernel } = await compileIn(root, { options: options(), request, tunings, warnings });
    expect(kernel).toMatchObject({ origin: "tuned" });
  }
  expect(server.asked).toHaveLength(3);
  expect(warnings).toHaveLength(3);
  expect(warnings[2]).toMatch(/it answers 500; it has failed 3 times and is not asked again$/);
});

turn("it is not asked where the lock decides, or nothing is to be measured", async () => {
  offer(decision);
  await compileIn(app(), { options: { ...options(), mode: "predict" } });
  await expect(compileIn(app(), { options: { ...options(), mode: "frozen" } })).rejects.toThrow("frozen.miss");
  expect(server.asked).toEqual([]);
});

const writing = () => ({ remote: { url: server.url, mode: "read-write" } }) as const;

turn("what is tuned is put there, if it may be written, and no entry is replaced", async () => {
  const { kernel, warnings } = await compileIn(app(), { options: writing() });
  expect([kernel.origin, warnings]).toEqual(["tuned", []]);
  const before = new Map(server.files);
  // The decision, and its entries: for this machine, and for its class.
  expect(before.size).toBe(3);
  await compileIn(app(), { options: writing(), request: { mode: "again" } });
  expect(server.files).toEqual(before);
});

turn("a build writes nothing by default, in a pull request's CI, or with a store that is off", async () => {
  const cases = [
    { options: { remote: server.url } },
    { options: writing(), environment: { GITHUB_EVENT_NAME: "pull_request" } },
    { options: writing(), environment: { CI_MERGE_REQUEST_IID: "7" } },
    { options: { remote: { url: server.url, mode: "off" } } },
  ] as const;
  for (const it of cases) expect((await compileIn(app(), it)).kernel).toMatchObject({ origin: "tuned" });
  // The entry of the kernel, then that of its class, by three builds.
  expect(server.asked.map((line) => line.split(" ")[0])).toEqual(Array(6).fill("GET"));
});

turn("a store that cannot be written costs a warning", async () => {
  server.behave((request, response) => request.method === "PUT" && response.writeHead(413).end());
  const { kernel, warnings } = await compileIn(app(), { options: writing() });
  expect(kernel.origin).toBe("tuned");
  expect(warnings).toEqual(["src/gemm.op.ts?tune=wasm: the remote store does not keep it: it answers 413"]);
});

turn.each([
  [401, {}, "the token is missing; set UNPLUGIN_KERNEL_REMOTE_TOKEN"],
  [401, { UNPLUGIN_KERNEL_REMOTE_TOKEN: "hush" }, "it does not accept UNPLUGIN_KERNEL_REMOTE_TOKEN"],
  [403, { UNPLUGIN_KERNEL_REMOTE_TOKEN: "hush" }, "UNPLUGIN_KERNEL_REMOTE_TOKEN has no right to it"],
])("%d is said once a build: %s, %s", async (status, environment, words) => {
  server.behave((_, response) => void response.writeHead(status).end());
  const tunings = buildTunings();
  const warnings: string[] = [];
  const root = app();
  for (const M of [2, 3, 4]) {
    const request = { parameters: { M }, budget: { seconds: 600, trials: 1 } };
    await compileIn(root, { options: options(), environment, request, tunings, warnings });
  }
  expect(warnings).toEqual([`the remote store refuses to be read (${status}): ${words}`]);
  expect(server.asked).toHaveLength(1);
});
