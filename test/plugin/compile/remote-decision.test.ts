// A build with a shared store: what it has is used without measuring, once it was rebuilt and checked; what is wrong with it is said,
// and the kernel is tuned.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { printExchange, type SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import { writeApp } from "../../support/build-app.ts";
import { buildTunings, compileIn, gemmText } from "../../support/compile-app.ts";
import { type DecisionServer, startDecisionServer } from "../../support/decision-server.ts";

let server: DecisionServer;
let decision: SharedDecision;
beforeAll(async () => {
  server = await startDecisionServer();
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

const offer = (offered: SharedDecision): void =>
  void server.files.set(`/store/ac/${decision.key}`, printExchange([offered]));
const app = (): string => writeApp({ "src/gemm.op.ts": gemmText() });
const options = () => ({ remote: server.url });

test("its decision is taken, then the store and the lock have it", async () => {
  offer(decision);
  const root = app();
  const { kernel, warnings } = await compileIn(root, { options: options() });
  expect(kernel).toMatchObject({ origin: "remote", measurements: 0, gflops: decision.measured.gflops });
  expect(warnings).toEqual([]);
  expect(await storedDecisions(`${root}/store`)).toEqual([decision]);
  expect((await compileIn(root, { options: options() })).kernel).toMatchObject({ origin: "lock" });
  expect(server.asked).toEqual([`GET /store/ac/${decision.key}`]);
});

test("what it does not have is tuned", async () => {
  const { kernel, warnings } = await compileIn(app(), { options: options() });
  expect(kernel).toMatchObject({ origin: "tuned" });
  expect(warnings).toEqual([]);
});

test.each<[string, (right: SharedDecision) => SharedDecision, string]>([
  ["another source", (right) => ({ ...right, source: "0".repeat(64) }), "its decisions do not lead to its source"],
  [
    "decisions outside of the space",
    (right) => ({ ...right, candidate: { ...right.candidate, assignment: { "C.i.register": 7 } } }),
    "its decisions do not lead to its source",
  ],
])("%s is not taken, and the kernel is tuned", async (_, change, why) => {
  offer(change(decision));
  const { kernel, warnings } = await compileIn(app(), { options: options() });
  expect(kernel).toMatchObject({ origin: "tuned" });
  expect(warnings).toEqual([`src/gemm.op.ts?tune=wasm: nothing is taken from the remote store: ${why}`]);
});

test("a server that is broken costs its kernels a warning, three at most in a build", async () => {
  server.behave((_, response) => void response.writeHead(500).end());
  const tunings = buildTunings();
  const warnings: string[] = [];
  const root = app();
  for (const M of [2, 3, 4, 5]) {
    const request = { parameters: { M }, budget: { seconds: 20, trials: 1 } };
    const { kernel } = await compileIn(root, { options: options(), request, tunings, warnings });
    expect(kernel).toMatchObject({ origin: "tuned" });
  }
  expect(server.asked).toHaveLength(3);
  expect(warnings).toHaveLength(3);
  expect(warnings[2]).toMatch(/it answers 500; it has failed 3 times and is not asked again$/);
});

test("it is not asked where the lock decides, or nothing is to be measured", async () => {
  offer(decision);
  await compileIn(app(), { options: { ...options(), mode: "predict" } });
  await expect(compileIn(app(), { options: { ...options(), mode: "frozen" } })).rejects.toThrow("frozen.miss");
  expect(server.asked).toEqual([]);
});
