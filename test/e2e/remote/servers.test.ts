// A build that tunes shares its decision by a server; another one, with nothing of its own, measures nothing. With the servers that teams
// have: nginx and Apache as docs/remote.md sets them up, Turborepo's, S3's, and a double of bazel-remote that is as strict.

import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { openRemote } from "../../../src/plugin/remote/remote-store.ts";
import { suitesInTurn } from "../../support/long.ts";
import { startBazelRemote } from "../../support/remote/bazel-remote.ts";
import { decisionWith, key } from "../../support/remote/decisions.ts";
import { s3Environment, startS3 } from "../../support/remote/s3.ts";
import { missingTool, type SharedServer } from "../../support/remote/server.ts";
import { buildFresh, writing } from "../../support/remote/share.ts";
import { startS3rver, startTurborepo } from "../../support/remote/tool-servers.ts";
import { noApache, noNginx, startApache, startNginx } from "../../support/remote/web-servers.ts";

async function bazelRemote(): Promise<SharedServer> {
  const { url, close } = await startBazelRemote();
  return { remote: { url }, environment: {}, close };
}

async function strictS3(): Promise<SharedServer> {
  const { url, close } = await startS3();
  return { remote: { url: "s3://kernels" }, environment: { ...s3Environment, AWS_ENDPOINT_URL: url }, close };
}

const noTurborepo = missingTool("turborepo-remote-cache");
const servers: readonly [string, string | null, () => Promise<SharedServer>][] = [
  ["nginx", noNginx, startNginx],
  ["Apache", noApache, startApache],
  ["a double of bazel-remote", null, bazelRemote],
  ["a strict S3", null, strictS3],
  ["s3rver", missingTool("s3rver"), startS3rver],
  ["turborepo-remote-cache", noTurborepo, () => startTurborepo(null)],
  ["turborepo-remote-cache with a key for signatures", noTurborepo, () => startTurborepo("server-key")],
];

const suite = suitesInTurn(3);

for (const [name, missing, start] of servers) {
  suite.skipIf(missing !== null)(`${name}${missing === null ? "" : ` (${missing})`}`, () => {
    let server: SharedServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());

    it("has nothing, gets what a build tunes, and another build measures nothing", async () => {
      const first = await buildFresh(writing(server));
      expect(first.warnings).toEqual([]);
      expect(first.kernel.origin).toBe("tuned");
      const second = await buildFresh(server);
      expect(second.warnings).toEqual([]);
      expect(second.kernel).toMatchObject({ origin: "remote", measurements: 0 });
      // The time is this build's own.
      const taken = first.decisions.map((decision) => ({
        ...decision,
        measured: expect.objectContaining({ trials: 1 }),
      }));
      expect(second.decisions).toEqual(taken);
    });

    it("keeps namespaces apart, and an entry that is there", async () => {
      const { remote, environment } = server;
      const open = (namespace: string) => openRemote(resolveRemote({ ...remote, namespace }, environment)!);
      expect(await open("pr/12").put(decisionWith(key))).toEqual({ kind: "stored" });
      expect(await open("pr/12").put(decisionWith(key, 1))).toEqual({ kind: "exists" });
      expect(await open("pr/12").get(key)).toMatchObject({ kind: "found", decision: decisionWith(key) });
      expect(await open("main").get(key)).toEqual({ kind: "missing", note: null });
    });
  });
}
