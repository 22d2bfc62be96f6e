// S3 with its own answers: objects that somebody else created first, conflicts, requests that come too fast, and 403 for what is not there.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { openRemote } from "../../../src/plugin/remote/remote-store.ts";
import { s3Cache } from "../../../src/plugin/remote/s3.ts";
import { defaultLimits, type Transport } from "../../../src/plugin/remote/transport.ts";
import { decisionWith, key } from "../../support/remote/decisions.ts";
import { type S3Double, s3Environment, startS3 } from "../../support/remote/s3.ts";

let server: S3Double;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.close());
beforeEach(() => {
  server.files.clear();
  server.asked.length = 0;
  server.next.length = 0;
  Object.assign(server, { mayList: true, mayWrite: true });
});

const resolved = (environment: Readonly<Record<string, string>> = s3Environment) =>
  resolveRemote("s3://kernels", { ...environment, AWS_ENDPOINT_URL: server.url })!;

function transport(environment?: Readonly<Record<string, string>>): Transport {
  const { url, namespace, server: at } = resolved(environment);
  if (at.protocol !== "s3") throw new Error("not S3");
  return s3Cache({ url, namespace, region: at.region, keys: at.keys, limits: defaultLimits, pauseMs: 1 });
}
const open = (environment?: Readonly<Record<string, string>>) =>
  openRemote(resolved(environment), {}, Promise.resolve(transport(environment)));

const bytes = new Uint8Array([1, 2, 3]);
const once = { createOnce: true };

test("an object that is there stays (412)", async () => {
  expect(await transport().put("ac", key, bytes, once)).toEqual({ kind: "stored" });
  expect(await transport().put("ac", key, new Uint8Array([4]), once)).toEqual({ kind: "exists" });
  expect(await transport().get("ac", key, 10)).toEqual({ kind: "ok", bytes });
});

test("somebody who is first between the question and the write wins", async () => {
  const first = decisionWith(key, 7);
  let isOther = false;
  server.behave(async ({ method, url = "" }) => {
    if (method !== "PUT" || !url.includes("/ac/") || isOther) return false;
    isOther = true;
    await open().put(first);
    return false;
  });
  expect(await open().put(decisionWith(key, 9))).toEqual({ kind: "exists" });
  server.behave(null);
  expect(isOther).toBe(true);
  expect(await open().get(key)).toMatchObject({ kind: "found", decision: first });
});

test("a conflict is tried again (409), but not for ever", async () => {
  server.next.push([409, "ConditionalRequestConflict"], [409, "ConditionalRequestConflict"]);
  expect(await transport().put("ac", key, bytes, once)).toEqual({ kind: "stored" });
  const conflict = [409, "ConditionalRequestConflict"] as const;
  server.next.push(conflict, conflict, conflict);
  const why = "it answers 409 ConditionalRequestConflict";
  expect(await transport().put("ac", key, bytes, once)).toEqual({ kind: "failed", why });
});

test("SlowDown is tried again once", async () => {
  const slowDown = [503, "SlowDown"] as const;
  await transport().put("cas", key, bytes, { createOnce: false });
  server.next.push(slowDown);
  expect(await transport().get("cas", key, 10)).toEqual({ kind: "ok", bytes });
  server.next.push(slowDown);
  expect(await transport().put("cas", key, bytes, { createOnce: false })).toEqual({ kind: "stored" });
  server.asked.length = 0;
  server.next.push(slowDown, slowDown);
  expect(await transport().get("cas", key, 10)).toEqual({ kind: "failed", why: "it answers 503 SlowDown" });
  expect(server.asked).toHaveLength(2);
});

test("403 in place of 404, for keys that may not list, counts as not there, and is said once", async () => {
  server.mayList = false;
  const remote = open();
  const note = expect.stringContaining("the right s3:ListBucket makes it say so");
  expect(await remote.get(key)).toEqual({ kind: "missing", note });
  expect(await remote.get(key)).toEqual({ kind: "missing", note: null });
  expect(await remote.put(decisionWith(key))).toEqual({ kind: "stored" });
  expect(await remote.get(key)).toMatchObject({ kind: "found" });
});

test.each([
  ["no keys", {}, "(403 AccessDenied): the keys are missing; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
  [
    "keys that it does not know",
    { ...s3Environment, AWS_ACCESS_KEY_ID: "AKIDOTHER" },
    "(403 InvalidAccessKeyId): it does not accept AWS_ACCESS_KEY_ID",
  ],
  [
    "another secret",
    { ...s3Environment, AWS_SECRET_ACCESS_KEY: "other" },
    "(403 SignatureDoesNotMatch): it does not accept AWS_ACCESS_KEY_ID",
  ],
])("%s", async (_, environment, words) => {
  const why = `the remote store refuses to be read ${words}`;
  expect(await open(environment).get(key)).toEqual({ kind: "denied", why });
});

test("keys that may only read, and a clock that is wrong", async () => {
  server.mayWrite = false;
  expect(await open().put(decisionWith(key))).toEqual({
    kind: "denied",
    why: "the remote store refuses to be written (403 AccessDenied): AWS_ACCESS_KEY_ID has no right to it",
  });
  server.next.push([403, "RequestTimeTooSkewed"]);
  const why = "the remote store refuses to be read (403 RequestTimeTooSkewed): the clock of this machine is wrong";
  expect(await open().get(key)).toEqual({ kind: "denied", why });
});

test("a bucket that is not there is a failure, not a miss", async () => {
  server.next.push([404, "NoSuchBucket"]);
  expect(await open().get(key)).toEqual({ kind: "failed", why: "it answers 404 NoSuchBucket" });
});

test("a session's token is sent and signed, the secret is not", async () => {
  let headers: Readonly<Record<string, unknown>> = {};
  server.behave((request) => {
    headers = request.headers;
    return false;
  });
  await transport({ ...s3Environment, AWS_SESSION_TOKEN: "session" }).get("ac", key, 10);
  server.behave(null);
  expect(headers["x-amz-security-token"]).toBe("session");
  expect(headers.authorization).toContain("x-amz-security-token");
  expect(JSON.stringify(headers)).not.toContain("s3-secret");
});
