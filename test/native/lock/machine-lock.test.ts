import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acquireMachineLock, tryMachineLock, withMachineLock } from "../../../src/native/lock/machine-lock.ts";

const name = `test-${process.pid}`;
let directory = "";
let holder = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "lock-"));
  holder = join(directory, "hold.mjs");
  const source = JSON.stringify(join(process.cwd(), "src/native/lock/machine-lock.ts"));
  const contents = `import { acquireMachineLock } from ${source};
    await acquireMachineLock(process.argv[2]);
    console.log("held");
    setInterval(() => {}, 1000);`;
  buildSync({
    stdin: { contents, resolveDir: directory },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: holder,
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("the machine lock", () => {
  it("has one holder at a time", async () => {
    const first = await acquireMachineLock(name);
    expect(await tryMachineLock(name)).toBeNull();
    const other = await tryMachineLock(`${name}-other`);
    expect(other).not.toBeNull();
    await other?.release();
    await first.release();
    const second = await tryMachineLock(name);
    expect(second).not.toBeNull();
    await second?.release();
  });

  it.skipIf(process.platform !== "linux")(
    "has one address in all versions of Node, of all bytes that there are",
    async () => {
      const lock = await acquireMachineLock(name);
      const [address] =
        readFileSync("/proc/net/unix", "utf8").match(new RegExp(`@unplugin-kernel-${name}@*$`, "m")) ?? [];
      await lock.release();
      // Each byte 0 is shown as @.
      expect(address).toHaveLength(108);
    },
  );

  it("lets those who wait in, one by one", async () => {
    let inside = 0;
    const most = await Promise.all(
      Array.from({ length: 8 }, () =>
        withMachineLock(name, {}, async () => {
          inside += 1;
          await new Promise((resolve) => setTimeout(resolve, 1));
          const seen = inside;
          inside -= 1;
          return seen;
        }),
      ),
    );
    expect(most).toEqual(Array(8).fill(1));
  });

  it("is free again when its holder is killed", async () => {
    const child = execa(process.execPath, [holder, name], { reject: false });
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    expect(await tryMachineLock(name)).toBeNull();
    child.kill("SIGKILL");
    await child;
    const lock = await tryMachineLock(name);
    expect(lock).not.toBeNull();
    await lock?.release();
  });

  it("is given up waiting for when the signal says so", async () => {
    const held = await acquireMachineLock(name);
    const waiting = acquireMachineLock(name, { signal: AbortSignal.timeout(20) });
    await expect(waiting).rejects.toThrow("timeout");
    await held.release();
  });
});
