// A remote store over time: what it is asked below its URL, and when it is left alone.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { openRemote, type RemoteStore } from "../../../src/plugin/remote/remote-store.ts";
import { printExchange } from "../../../src/tuner/store/exchange.ts";
import { decisionWith, key } from "../../support/remote/decisions.ts";
import { type Behaviour, type Double, startDouble } from "../../support/remote/double.ts";

const decision = decisionWith(key);

let server: Double;
let remote: RemoteStore;
/** A store that is waited for a while, as other processes are busy too. */
const open = (namespace?: string, getMs = 10_000): RemoteStore => {
  const option = { url: `${server.url}/store/`, ...(namespace !== undefined && { namespace }) };
  return openRemote(resolveRemote(option, { UNPLUGIN_KERNEL_REMOTE_TOKEN: "secret" })!, { getMs });
};
beforeAll(async () => {
  server = await startDouble();
});
afterAll(() => server.close());
beforeEach(() => {
  server.behave(null);
  server.files.clear();
  server.asked.length = 0;
  remote = open();
});

const answering =
  (status: number): Behaviour =>
  (_, response) =>
    void response.writeHead(status).end();

test("files lie below the URL in Bazel's layout, and are sent with the token", async () => {
  expect(await remote.put(decision)).toEqual({ kind: "stored" });
  const text = printExchange([decision]);
  const [[blob, bytes], [entry, result]] = [...server.files] as [[string, Buffer], [string, Buffer]];
  const hash = blob.slice(-64);
  expect([blob, entry]).toEqual([`/store/cas/${hash}`, `/store/ac/${key}`]);
  expect(bytes.toString()).toBe(text);
  expect(JSON.parse(result.toString())).toEqual({
    outputFiles: [{ path: "decision.jsonl", digest: { hash, sizeBytes: String(text.length) } }],
  });
  expect(server.asked).toEqual(
    [`GET /store/ac/${key}`, `PUT ${blob}`, `PUT ${entry}`].map((line) => `${line} Bearer secret`),
  );
});

test("a namespace has folders of its own", async () => {
  await open("pr/12").put(decision);
  expect([...server.files.keys()].at(-1)).toBe(`/store/pr/12/ac/${key}`);
  expect(await remote.get(key)).toEqual({ kind: "missing", note: null });
  expect(await open("pr/12").get(key)).toMatchObject({ kind: "found", decision });
});

test("a body without end is a failure while garbage is collected, too", async () => {
  setFlagsFromString("--expose-gc");
  const collecting = setInterval(runInNewContext("gc"), 50);
  server.behave((_, response) => void response.writeHead(200).write("{"));
  expect(await open(undefined, 300).get(key)).toEqual({ kind: "failed", why: "timeout after 300 ms" });
  clearInterval(collecting);
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
  expect(await remote.put(decision)).toEqual({
    kind: "failed",
    why: "it answers 503; it has failed 3 times and is not asked again",
  });
  expect(remote.isOff()).toBe(true);
  server.asked.length = 0;
  expect([await remote.get(key), await remote.put(decision)]).toEqual([{ kind: "off" }, { kind: "off" }]);
  expect(server.asked).toEqual([]);
});
