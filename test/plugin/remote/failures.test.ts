// What can be wrong with a remote store, in each protocol: whatever it is, the answer is a value in words, within the time and the bytes
// that there are.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/plugin/options/ci-job.ts";
import { type RemoteProtocol, resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { digestOf, printActionResult } from "../../../src/plugin/remote/action-result.ts";
import { openRemote, type RemoteStore } from "../../../src/plugin/remote/remote-store.ts";
import { printExchange } from "../../../src/tuner/store/exchange.ts";
import { decisionWith, key } from "../../support/remote/decisions.ts";
import { type Behaviour, type Double, startDouble } from "../../support/remote/double.ts";

interface Protocol {
  readonly name: RemoteProtocol;
  readonly environment: Environment;
  /** What sends the secret. */
  readonly secret: string;
}

const protocols: readonly Protocol[] = [
  {
    name: "http",
    environment: { UNPLUGIN_KERNEL_REMOTE_TOKEN: "hush" },
    secret: "UNPLUGIN_KERNEL_REMOTE_TOKEN",
  },
  {
    name: "s3",
    environment: { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "hush", AWS_SESSION_TOKEN: "session-hush" },
    secret: "AWS_ACCESS_KEY_ID",
  },
  { name: "turborepo", environment: { TURBO_TOKEN: "hush", TURBO_TEAM: "t" }, secret: "TURBO_TOKEN" },
];

const decision = decisionWith(key);
/** Long enough for a busy machine; servers that never answer get less. */
const patientMs = 10_000;
const hastyMs = 400;
const answering =
  (status: number, body = "", headers = {}): Behaviour =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const failed = (why: string | RegExp) => ({ kind: "failed", why: expect.stringMatching(why) });

const wrong = (why: string | RegExp) => ({ kind: "wrong", why: expect.stringMatching(why) });

/** Sends a byte now and then. */
const drip: Behaviour = (_, response) => {
  response.writeHead(200);
  const dripping = setInterval(() => response.write("{"), 50);
  response.on("close", () => clearInterval(dripping));
};
const hang: Behaviour = () => {};
const cut: Behaviour = (_, response) =>
  response.writeHead(200, { "content-length": "500" }).write("{", () => void response.destroy());
/** 200 MB of zeros. */
const packed = gzipSync(Buffer.alloc(200_000_000), { level: 1 });
const bomb: Behaviour = (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
const tenGigabytes: Behaviour = (_, response) =>
  void response.writeHead(200, { "content-length": "10000000000" }).write("{");

/** Lets reads through, so that it is the write which fails. */
const whenWritten =
  (behaviour: Behaviour): Behaviour =>
  (request, response) =>
    request.method === "GET" ? false : behaviour(request, response);

describe.each(protocols)("$name", ({ name, environment, secret }) => {
  let server: Double;
  let elsewhere: Double;
  const remoteAt = (url: string, ms: number): RemoteStore =>
    openRemote(resolveRemote({ url, protocol: name }, environment)!, { getMs: ms, putMs: ms });
  const open = (ms = patientMs): RemoteStore => remoteAt(`${server.url}/store`, ms);
  beforeAll(async () => {
    [server, elsewhere] = await Promise.all([startDouble(), startDouble()]);
  });
  afterAll(() => Promise.all([server.close(), elsewhere.close()]));
  beforeEach(async () => {
    server.behave(null);
    server.files.clear();
    expect(await open().put(decision)).toEqual({ kind: "stored" });
    server.asked.length = 0;
    elsewhere.asked.length = 0;
  });

  /** Path of the entry, or of the blob, whatever the protocol calls them. */
  const pathOf = (kind: "entry" | "blob"): string =>
    [...server.files].find(([, bytes]) => bytes.includes("outputFiles") === (kind === "entry"))![0];
  const change = (kind: "entry" | "blob", alter: (bytes: Buffer) => Buffer | string): void => {
    const path = pathOf(kind);
    server.files.set(path, Buffer.from(alter(server.files.get(path)!)));
  };
  /** Puts another decision's text in place of the right one, with its digest in the entry. */
  const replaceDecision = (text: string): void => {
    const bytes = Buffer.from(text);
    const right = server.files.get(pathOf("blob"))!;
    const path = pathOf("blob").replace(digestOf(right).hash, digestOf(bytes).hash);
    change("entry", () => printActionResult(new Map([["decision.jsonl", digestOf(bytes)]])));
    server.files.set(path, bytes);
    // Turborepo's names do not show the digest: every blob is the other one.
    server.behave((request, response) =>
      request.url === pathOf("entry") ? false : response.writeHead(200).end(bytes),
    );
  };

  it("what is put is got", async () => {
    expect(await open().get(key)).toMatchObject({ kind: "found", decision });
    expect(await open().get("c".repeat(64))).toEqual({ kind: "missing", note: null });
  });

  it("down", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const nobody = remoteAt(`http://127.0.0.1:${port}`, patientMs);
    expect(await nobody.get(key)).toEqual(failed(/ECONNREFUSED/));
    expect(await nobody.put(decision)).toEqual(failed(/ECONNREFUSED/));
  });

  it.each<[string, Behaviour]>([
    ["a hang", hang],
    ["a drip", drip],
  ])("%s instead of an entry, a blob, an answer to a write", async (_, behaviour) => {
    const entry = pathOf("entry");
    server.behave(behaviour);
    expect(await open(hastyMs).get(key)).toEqual(failed(/timeout after 400 ms/));
    server.behave((request, response) => (request.url === entry ? false : behaviour(request, response)));
    expect(await open(hastyMs).get(key)).toEqual(failed(/timeout after 400 ms/));
    server.files.clear();
    server.behave(whenWritten(behaviour));
    expect(await open(hastyMs).put(decision)).toEqual(failed(/timeout after 400 ms/));
  });

  it.each<[string, Behaviour, RegExp]>([
    ["500", answering(500), /^it answers 500$/],
    ["an end in the middle of an answer", cut, /closed|terminated/],
    ["a closed door", (request) => request.socket.destroy(), /closed/],
    ["a gzip bomb", bomb, /^it answers with more than 65536 bytes$/],
    ["a Content-Length of 10 GB", tenGigabytes, /^it answers with more than 65536 bytes$/],
  ])("%s instead of an entry", async (_, behaviour, why) => {
    server.behave(behaviour);
    expect(await open().get(key)).toEqual(failed(why));
  });

  it.each([
    ["a page for people", "<html>"],
    ["an entry without files", '{"outputFiles":[]}'],
    ["an entry that is null", "null"],
  ])("%s instead of an entry is an answer, and a wrong one", async (_, text) => {
    server.behave(answering(200, text));
    expect(await open().get(key)).toEqual(wrong("its entry is no ActionResult with a file decision.jsonl"));
  });

  it.each<[string, Behaviour, RegExp]>([
    ["an end in the middle of an answer", cut, /closed|terminated/],
    ["a gzip bomb", bomb, /^it answers with more than 100000 bytes$/],
  ])("%s instead of a blob", async (_, behaviour, why) => {
    server.behave((request, response) => (request.url === pathOf("entry") ? false : behaviour(request, response)));
    expect(await open().get(key)).toEqual(failed(why));
  });

  it("a blob that is not there", async () => {
    server.behave((request, response) => (request.url === pathOf("entry") ? false : answering(404)(request, response)));
    expect(await open().get(key)).toEqual(wrong("a file that its entry names is not there"));
  });

  it("a blob that is truncated, where it lies", async () => {
    change("blob", (bytes) => bytes.subarray(0, 50));
    expect(await open().get(key)).toEqual(wrong("a file of its entry has another digest than the entry says"));
  });

  it("a blob of other bytes", async () => {
    change("blob", (bytes) => bytes.toString().replace("1500.5", "1500.4"));
    expect(await open().get(key)).toEqual(wrong("a file of its entry has another digest than the entry says"));
  });

  it("an entry that names too large a blob", async () => {
    change("entry", () => printActionResult(new Map([["decision.jsonl", { hash: key, bytes: 2 ** 40 }]])));
    expect(await open().get(key)).toEqual(wrong(/has 1099511627776 bytes, more than 100000/));
    expect(server.asked).toHaveLength(1);
  });

  it("a decision of another key, of two, of none", async () => {
    const other = decisionWith("b".repeat(64));
    for (const offered of [[other], [decision, other], []]) {
      replaceDecision(printExchange(offered));
      expect(await open().get(key)).toEqual(wrong("it answers with another decision"));
    }
  });

  it("an old record that is valid is given to those who check it", async () => {
    replaceDecision(printExchange([decisionWith(key, 9e9)]));
    expect(await open().get(key)).toMatchObject({ kind: "found", decision: { measured: { medianNs: 9e9 } } });
  });

  it("a record of another version", async () => {
    replaceDecision(printExchange([decision]).replace('"schema":1', '"schema":0'));
    expect(await open().get(key)).toEqual(wrong(/^line 1 of what it answers: /));
  });

  it("a redirect to a file", async () => {
    server.behave(answering(302, "", { location: "file:///etc/passwd" }));
    const why = name === "s3" ? "it answers 302" : "it redirects to file:, which is not followed";
    expect(await open().get(key)).toEqual(failed(why));
  });

  it("a redirect to another host, which gets no credentials", async () => {
    elsewhere.files.set("/x", Buffer.from("{}"));
    server.behave(answering(307, "", { location: `${elsewhere.url}/x` }));
    expect(await open().get(key)).toEqual(
      name === "s3" ? failed("it answers 307") : wrong("its entry is no ActionResult with a file decision.jsonl"),
    );
    // Signed requests are for one host, so they do not go elsewhere at all.
    expect(elsewhere.asked).toEqual(name === "s3" ? [] : ["GET /x"]);
  });

  it("a redirect without end", async () => {
    server.behave(answering(307, "", { location: `${server.url}/again` }));
    expect(await open().get(key)).toEqual(failed(name === "s3" ? "it answers 307" : "it redirects more than 5 times"));
  });

  it("a redirect to an address that is longer than any", async () => {
    server.behave(answering(307, "", { location: `${server.url}/${"a".repeat(9_000)}` }));
    const why = name === "s3" ? "it answers 307" : "it redirects to an address of more than 8192 characters";
    expect(await open().get(key)).toEqual(failed(why));
  });

  it.each([401, 403])("%d is said once", async (status) => {
    server.behave(answering(status));
    const remote = open();
    const answers = await Promise.all([remote.get(key), remote.get(key)]);
    answers.push(await remote.get(key));
    const words = status === 401 ? `it does not accept ${secret}` : `${secret} has no right to it`;
    const why = `the remote store refuses to be read (${status}): ${words}`;
    expect(answers.filter(({ kind }) => kind !== "off")).toEqual([{ kind: "denied", why }]);
    expect(JSON.stringify(answers)).not.toContain("hush");
    expect(remote.isOff()).toBe(true);
  });

  it.each<[string, Behaviour, RegExp]>([
    ["500", answering(500), /^it answers 500$/],
    ["413", answering(413), /^it answers 413$/],
    ["405", answering(405), /^it answers 405$/],
    ["507", answering(507), /^it answers 507$/],
    ["a redirect to another host", answering(307, "", { location: "http://127.0.0.1:1/" }), /^it answers 307$/],
    ["a closed door", (request) => request.socket.destroy(), /closed|ECONNRESET|EPIPE/],
  ])("%s when it is written", async (_, behaviour, why) => {
    server.files.clear();
    server.behave(whenWritten(behaviour));
    expect(await open().put(decision)).toEqual(failed(why));
    expect(server.files.size).toBe(0);
  });

  it.each([401, 403])("%d when it is written is said once, and it is read on", async (status) => {
    server.files.clear();
    server.behave(whenWritten(answering(status)));
    const remote = open();
    const why = expect.stringContaining(`the remote store refuses to be written (${status}`);
    expect(await remote.put(decision)).toEqual({ kind: "denied", why });
    expect(await remote.put(decision)).toEqual({ kind: "off" });
    expect(await remote.get(key)).toEqual({ kind: "missing", note: null });
  });

  it("an entry that is there is left as it is", async () => {
    const before = new Map(server.files);
    expect(await open().put(decisionWith(key, 1))).toEqual({ kind: "exists" });
    expect(server.files).toEqual(before);
  });

  it("an entry is written behind the blobs that it names", async () => {
    server.files.clear();
    const extra = new Map([["blobs/wasm", new Uint8Array([1, 2, 3])]]);
    expect(await open().put(decision, extra)).toEqual({ kind: "stored" });
    expect([...server.files.keys()].indexOf(pathOf("entry"))).toBe(2);
    const found = await open().get(key);
    const digest = found.kind === "found" && found.files.get("blobs/wasm");
    expect(digest && (await open().blob(digest, 10))).toEqual({ kind: "ok", bytes: new Uint8Array([1, 2, 3]) });
  });
});
