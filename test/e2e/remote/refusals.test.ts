// Servers that want credentials, and get none or wrong ones: each says so in its own way, and the build in one.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { openRemote } from "../../../src/plugin/remote/remote-store.ts";
import { decisionWith, key } from "../../support/remote/decisions.ts";
import { missingTool, type SharedServer } from "../../support/remote/server.ts";
import { startS3rver, startTurborepo } from "../../support/remote/tool-servers.ts";

type Refusal = readonly [what: string, environment: Readonly<Record<string, string>>, status: string, words: string];

const servers: readonly [string, string, () => Promise<SharedServer>, readonly Refusal[]][] = [
  [
    "turborepo-remote-cache",
    "turborepo-remote-cache",
    () => startTurborepo(null),
    [
      ["no token", { TURBO_TOKEN: "" }, "400", "the token is missing; set TURBO_TOKEN"],
      ["another token", { TURBO_TOKEN: "other" }, "401", "it does not accept TURBO_TOKEN"],
    ],
  ],
  [
    "s3rver",
    "s3rver",
    startS3rver,
    [
      [
        "an unknown key",
        { AWS_ACCESS_KEY_ID: "OTHER" },
        "403 InvalidAccessKeyId",
        "it does not accept AWS_ACCESS_KEY_ID",
      ],
    ],
  ],
];

for (const [name, tool, start, refusals] of servers) {
  const missing = missingTool(tool);
  describe.skipIf(missing !== null)(`${name}${missing === null ? "" : ` (${missing})`}`, () => {
    let server: SharedServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());

    it.each(refusals)("%s", async (_, wrong, status, words) => {
      const open = () => openRemote(resolveRemote(server.remote, { ...server.environment, ...wrong })!);
      const why = `the remote store refuses to be read (${status}): ${words}`;
      const remote = open();
      expect(await remote.get(key)).toEqual({ kind: "denied", why });
      expect(await remote.get(key)).toEqual({ kind: "off" });
      expect(await open().put(decisionWith(key))).toEqual({ kind: "denied", why });
    });
  });
}
