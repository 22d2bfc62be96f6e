// Option `remote` and the environment: where the store is, what is sent to whom, and who writes.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/plugin/options/ci-job.ts";
import { accessTo, withoutCredentials } from "../../../src/plugin/options/credentials.ts";
import { isRemoteOption, type RemoteOption, resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { openRemote } from "../../../src/plugin/remote/remote-store.ts";
import { key } from "../../support/remote/decisions.ts";
import { type Double, startDouble } from "../../support/remote/double.ts";

const urlOf = (option: string | RemoteOption, environment: Environment = {}) => resolveRemote(option, environment)?.url;
const accessOf = (option: string | RemoteOption, environment: Environment = {}) => {
  const { server } = resolveRemote(option, environment)!;
  return server.protocol === "s3" ? null : server.access;
};
const token = { UNPLUGIN_KERNEL_REMOTE_TOKEN: "hush" };

describe("the store", () => {
  it.each<[string | RemoteOption, Environment, string]>([
    ["https://kernels.example/store/", {}, "https://kernels.example/store"],
    ["https://me:secret@kernels.example/store", {}, "https://kernels.example/store"],
    ["s3://bucket", { AWS_REGION: "eu-west-1" }, "https://bucket.s3.eu-west-1.amazonaws.com"],
    ["S3://bucket/a", {}, "https://bucket.s3.us-east-1.amazonaws.com/a"],
    ["s3://bucket/a/b", {}, "https://bucket.s3.us-east-1.amazonaws.com/a/b"],
    [
      "s3://bucket/a",
      { AWS_DEFAULT_REGION: "r", AWS_ENDPOINT_URL: "http://minio:9000/" },
      "http://minio:9000/bucket/a",
    ],
    ["s3://bucket", { AWS_ENDPOINT_URL: "http://a", AWS_ENDPOINT_URL_S3: "http://b" }, "http://b/bucket"],
    [{ url: "https://r2.example/bucket", protocol: "s3" }, {}, "https://r2.example/bucket"],
    [{ protocol: "turborepo" }, { TURBO_API: "https://turbo.example/" }, "https://turbo.example"],
    [{ protocol: "turborepo", url: "https://mine.example" }, { TURBO_API: "https://x" }, "https://mine.example"],
  ])("%j with %j is at %s", (option, environment, url) => {
    expect(isRemoteOption(option)).toBe(true);
    expect(urlOf(option, environment)).toBe(url);
  });

  it("is none where it is off, or Turborepo's address is not known", () => {
    expect(resolveRemote({ url: "https://a", mode: "off" }, {})).toBeNull();
    expect(resolveRemote({ protocol: "turborepo" }, {})).toBeNull();
    expect(resolveRemote(undefined, { TURBO_API: "https://a" })).toBeNull();
  });

  it.each([
    "kernels",
    "file:///srv",
    "https://a?token=x",
    { protocol: "http" },
    { url: "https://a", protocol: "ftp" },
    { url: "https://a", mode: "write" },
    { url: "https://a", namespace: "../main" },
    { url: "https://a", namespace: "/main" },
    { url: "https://a", namespace: "%2e%2e" },
    { url: "https://a", namespace: "%2e%2e/main" },
    { url: "https://a", namespace: "main/../pr/1" },
    { url: "https://a", namespace: "main/%2e%2e" },
    { url: "https://a", namespace: "pr/1\n" },
    { url: "https://a", namespace: "pr\\1" },
    { url: "https://a", namespace: "pr//1" },
    { url: "https://a", namespace: ".main" },
    { url: "https://a", namespace: "main/" },
    { url: "https://a", namespace: "" },
    { url: "https://me:x@a", protocol: "s3" },
    { url: "https://me:x@a", protocol: "turborepo" },
    { url: "s3://a", protocol: "http" },
    { url: "https://a", other: 1 },
    ["https://a"],
    null,
  ])("cannot be %j", (option) => {
    expect(isRemoteOption(option)).toBe(false);
  });
});

describe("credentials", () => {
  it("are a bearer token, or the user of the URL, who comes first", () => {
    expect(accessOf("https://a", token)).toMatchObject({ authorization: "Bearer hush" });
    const basic = `Basic ${Buffer.from("me:p@ss/ü").toString("base64")}`;
    expect(accessOf("https://me:p%40ss%2F%C3%BC@a", token)).toMatchObject({ authorization: basic });
    expect(accessOf("https://me:100%@a")).toMatchObject({
      authorization: `Basic ${Buffer.from("me:100%").toString("base64")}`,
    });
    expect(accessOf({ url: "https://a", protocol: "turborepo" }, { ...token, TURBO_TOKEN: "t" })).toMatchObject({
      authorization: "Bearer t",
    });
  });

  it.each([
    ["https://kernels.example", {}, true],
    ["http://localhost:1", {}, true],
    ["http://127.3.2.1", {}, true],
    ["http://[::1]:80", {}, true],
    ["http://kernels.example", {}, false],
    ["http://127.0.0.1.example", {}, false],
    ["http://localhost.example", {}, false],
    ["http://10.0.0.1", {}, false],
    ["http://10.0.0.1", { UNPLUGIN_KERNEL_REMOTE_INSECURE: "1" }, true],
    ["http://10.0.0.1", { UNPLUGIN_KERNEL_REMOTE_INSECURE: "0" }, false],
  ])("to %s with %j: %s", (url, environment, isSent) => {
    for (const access of [
      accessOf(url, { ...token, ...environment }),
      accessOf(url.replace("//", "//me:pw@"), environment),
      accessOf({ url, protocol: "turborepo" }, { TURBO_TOKEN: "t", ...environment }),
    ])
      expect([access?.authorization !== null, access?.isWithheld]).toEqual([isSent, !isSent]);
  });

  it.each([
    ["http://me:hunter2@host/store", "http://host/store"],
    ["http://me:hun/ter@2@host", "http://host"],
    ["me:hunter2@host", "host"],
    [
      { url: "ftp://me:hunter2@host", mode: "x" },
      { url: "ftp://host", mode: "x" },
    ],
    [7, 7],
  ])("are taken out of %j", (value, shown) => {
    expect(withoutCredentials(value)).toEqual(shown);
  });

  describe("over plain http", () => {
    let server: Double;
    beforeAll(async () => {
      server = await startDouble();
    });
    afterAll(() => server.close());

    it("stay here, and a server that wants them is reported in words", async () => {
      const { url } = server;
      // As if this server were on another machine.
      const access = accessTo("http://kernels.example", "Bearer hush", "UNPLUGIN_KERNEL_REMOTE_TOKEN", {});
      const remote = { ...resolveRemote(url, {})!, server: { protocol: "http", access } } as const;
      server.behave((_, response) => void response.writeHead(401).end());
      const why =
        "the remote store refuses to be read (401): UNPLUGIN_KERNEL_REMOTE_TOKEN was not sent, because plain http would show it to everybody on the way; use https, or set UNPLUGIN_KERNEL_REMOTE_INSECURE=1";
      expect(await openRemote(remote).get(key)).toEqual({ kind: "denied", why });
      expect(server.asked).toEqual([`GET /ac/${key}`]);
    });
  });
});

it("a build writes where the option says so", () => {
  expect(resolveRemote("https://a", {})).toMatchObject({ isWritten: false });
  expect(resolveRemote({ url: "https://a", mode: "read-write" }, {})).toMatchObject({ isWritten: true });
});
