// nginx and Apache as docs/remote.md sets them up: everybody reads, one user writes, and nobody replaces an entry.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { openTransport } from "../../../src/plugin/remote/open-transport.ts";
import { openRemote } from "../../../src/plugin/remote/remote-store.ts";
import { writeApp } from "../../support/build-app.ts";
import { buildTunings, compileIn, gemmText } from "../../support/compile-app.ts";
import { inTurn } from "../../support/long.ts";
import { decisionWith, key } from "../../support/remote/decisions.ts";
import { noApache, noNginx, startApache, startNginx, type WebServer } from "../../support/remote/web-servers.ts";

const turn = inTurn(2);

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

const servers = [
  ["nginx", noNginx, startNginx],
  ["Apache", noApache, startApache],
] as const;

for (const [name, missing, start] of servers) {
  describe.skipIf(missing !== null)(`${name}${missing === null ? "" : ` (${missing})`}`, () => {
    let server: WebServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());
    const writer = () => resolveRemote(server.remote, {})!;

    it("answers 412 where an entry is there, and keeps it", async () => {
      const transport = await openTransport(writer());
      const once = { createOnce: true };
      expect(await transport.put("ac", key, bytesOf("first"), once)).toEqual({ kind: "stored" });
      expect(await transport.put("ac", key, bytesOf("second"), once)).toEqual({ kind: "exists" });
      expect(await transport.get("ac", key, 100)).toEqual({ kind: "ok", bytes: bytesOf("first") });
      expect(readFileSync(join(server.files, "ac", key), "utf8")).toBe("first");
    });

    it("takes a blob again, so that a broken one is mended", async () => {
      const transport = await openTransport(writer());
      for (const text of ["broken", "right"]) {
        expect(await transport.put("cas", key, bytesOf(text), { createOnce: false })).toEqual({ kind: "stored" });
      }
      expect(readFileSync(join(server.files, "cas", key), "utf8")).toBe("right");
    });

    it("refuses what is larger than it takes (413)", async () => {
      const transport = await openTransport(writer());
      const large = new Uint8Array(1_100_000);
      const reply = await transport.put("cas", "c".repeat(64), large, { createOnce: false });
      expect(reply).toEqual({ kind: "failed", why: "it answers 413" });
      expect(readdirSync(join(server.files, "cas"))).toEqual([key]);
    });

    it("is read without credentials, and refuses to be written, in words", async () => {
      const anonymous = openRemote(resolveRemote(server.url, {})!);
      const other = decisionWith("b".repeat(64));
      expect(await anonymous.get(other.key)).toEqual({ kind: "missing", note: null });
      const why =
        "the remote store refuses to be written (401): the token is missing; set UNPLUGIN_KERNEL_REMOTE_TOKEN";
      expect(await anonymous.put(other)).toEqual({ kind: "denied", why });
      expect(readdirSync(join(server.files, "ac"))).toEqual([key]);
    });

    turn("reports a pull request's credential, which may not write, once a build", async () => {
      const url = new URL(server.url);
      url.username = "pull-request";
      url.password = "of-a-fork";
      const root = writeApp({ "src/gemm.op.ts": gemmText() });
      const tunings = buildTunings();
      const warnings: string[] = [];
      const options = { remote: { url: url.href, mode: "read-write" } } as const;
      for (const M of [2, 3]) {
        const request = { parameters: { M }, budget: { seconds: 600, trials: 1 } };
        const { kernel } = await compileIn(root, { options, request, tunings, warnings });
        expect(kernel.origin).toBe("tuned");
      }
      expect(warnings).toEqual([
        "the remote store refuses to be written (401): it does not accept the user in its URL",
      ]);
    });
  });
}
