// Answers of a shared store, and what becomes of them: a server may be away, slow, broken or somebody else's.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openRemote, type RemoteStore } from "../../../src/plugin/remote/remote-store.ts";
import { printExchange, type SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { type Behaviour, type DecisionServer, startDecisionServer } from "../../support/decision-server.ts";

const key = "a".repeat(64);
const decision: SharedDecision = {
  key,
  candidate: { template: "C tiled", assignment: { "C.i.register": 4 } },
  source: "f".repeat(64),
  measured: { medianNs: 1500.5, gflops: 5.46, machine: "wasm 16B", toolchain: "wasm", trials: 12 },
};

let server: DecisionServer;
let remote: RemoteStore;
beforeAll(async () => {
  server = await startDecisionServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.behave(null);
  server.files.clear();
  server.asked.length = 0;
  remote = openRemote(server.url, { token: null, timeoutMs: 300 });
});

test("what is put is got, below the URL, with the token", async () => {
  remote = openRemote(server.url, { token: "secret" });
  expect(await remote.get(key)).toEqual({ kind: "missing" });
  expect(await remote.put(decision)).toBeNull();
  expect(await remote.get(key)).toEqual({ kind: "found", decision });
  expect(server.files).toEqual(new Map([[`/store/ac/${key}`, printExchange([decision])]]));
  expect(server.asked).toEqual(["GET", "PUT", "GET"].map((method) => `${method} /store/ac/${key} Bearer secret`));
});

const answering =
  (status: number, body = ""): Behaviour =>
  (_, response) =>
    void response.writeHead(status).end(body);
const text = printExchange([decision]);

test.each<[string, Behaviour, string | RegExp]>([
  ["an error of the server", answering(500), "it answers 500"],
  ["no right to it", answering(403, "go away"), "it answers 403"],
  ["a page for people", answering(200, "<html>hello</html>"), "line 1 of what it answers: it is no JSON"],
  ["half a file", answering(200, text.slice(0, -30)), "line 2 of what it answers: it is no JSON"],
  [
    "another decision",
    answering(200, printExchange([{ ...decision, key: "b".repeat(64) }])),
    "it answers with another decision",
  ],
  [
    "two decisions",
    answering(200, printExchange([decision, { ...decision, key: "b".repeat(64) }])),
    "it answers with another decision",
  ],
  ["none", answering(200, printExchange([])), "it answers with another decision"],
  ["more than there can be", answering(200, "x".repeat(200_000)), "it answers with more than 100000 bytes"],
  ["a body without end", (_, response) => void response.writeHead(200).write("{"), /timeout/],
  ["no answer", () => {}, /timeout/],
  [
    "an end in the middle",
    (_, response) => response.writeHead(200, { "content-length": "500" }).write("{", () => void response.destroy()),
    /closed|terminated/,
  ],
  ["a closed door", (request) => request.socket.destroy(), /closed/],
])("%s is a failure in words", async (_, behaviour, why) => {
  server.behave(behaviour);
  expect(await remote.get(key)).toEqual({
    kind: "failed",
    why: typeof why === "string" ? why : expect.stringMatching(why),
  });
});

test("a body without end is one too while garbage is collected", async () => {
  setFlagsFromString("--expose-gc");
  const collecting = setInterval(runInNewContext("gc"), 50);
  server.behave((_, response) => void response.writeHead(200).write("{"));
  expect(await remote.get(key)).toEqual({ kind: "failed", why: "timeout after 300 ms" });
  clearInterval(collecting);
}, 5000);

test("what is put may be refused, and says so", async () => {
  server.behave(answering(405));
  expect(await remote.put(decision)).toBe("it answers 405");
  server.behave(() => {});
  expect(await remote.put(decision)).toMatch(/timeout/);
});

test("a server that fails three times in a row is left alone", async () => {
  server.behave(answering(503));
  const answers = [await remote.get(key), await remote.get(key)];
  server.behave(null);
  answers.push(await remote.get(key));
  expect(answers.map(({ kind }) => kind)).toEqual(["failed", "failed", "missing"]);
  server.behave(answering(503));
  for (let time = 0; time < 2; time++) await remote.get(key);
  expect(remote.isOff()).toBe(false);
  expect(await remote.get(key)).toEqual({
    kind: "failed",
    why: "it answers 503; it has failed 3 times and is not asked again",
  });
  expect(remote.isOff()).toBe(true);
});

test("nobody there", async () => {
  const nobody = openRemote("http://127.0.0.1:9", { token: null, timeoutMs: 2000 });
  expect(await nobody.get(key)).toMatchObject({ kind: "failed", why: expect.stringMatching(/ECONNREFUSED|bad port/) });
});
