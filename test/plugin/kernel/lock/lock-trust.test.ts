// Signed decisions in builds: a tuning with a key signs its entry, and a frozen build that requires signatures takes no other.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { TrustOptions } from "../../../../src/plugin/options/types.ts";
import { generateSigningKey, privateLine, publicLine } from "../../../../src/tuner/trust/keys.ts";
import { writeApp } from "../../../support/build-app.ts";
import { compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { printedError } from "../../../support/op-file.ts";

const turn = inTurn(3);

const key = generateSigningKey("laptop-1");
const other = generateSigningKey("other");
const name = "src/gemm.op.ts?tune=wasm";
const lockOf = (root: string): string => join(root, "kernels.lock.json");
const app = (lock?: string): string =>
  writeApp({ "src/gemm.op.ts": gemmText(), ...(lock === undefined ? {} : { "kernels.lock.json": lock }) });

let signed = "";
let unsigned = "";
beforeAll(async () => {
  const [first, second] = [app(), app()];
  await compileIn(first, { environment: { UNPLUGIN_KERNEL_SIGNING_KEY: privateLine(key) } });
  await compileIn(second, { environment: { XDG_CONFIG_HOME: join(second, "config") } });
  signed = readFileSync(lockOf(first), "utf8");
  unsigned = readFileSync(lockOf(second), "utf8");
});

const frozen = (lock: string, trust: TrustOptions, onMiss: "error" | "fallback" = "error") =>
  compileIn(app(lock), { options: { mode: "frozen", onMiss, trust } });
const require = ["decision"] as const;
const refusedBecause = (why: string): string =>
  `trust.refused: the entry of ${name} in kernels.lock.json is refused: ${why}
  hint: sign it where the key is, by unplugin-kernel cache sign --lock, or see what it is: unplugin-kernel cache trust`;

describe("a frozen build that requires signed decisions", () => {
  turn("takes the entry of a tuning with a listed key", async () => {
    const { kernel, warnings } = await frozen(signed, { keys: [publicLine(other), publicLine(key)], require });
    expect(kernel).toMatchObject({ origin: "lock", measurements: 0 });
    expect(warnings).toEqual([]);
  });

  it.each<[string, () => string, TrustOptions, string]>([
    ["unsigned", () => unsigned, { keys: [publicLine(key)] }, "it is not signed"],
    [
      "of another's key",
      () => signed,
      { keys: [publicLine(other)] },
      "key laptop-1 is not one that option trust lists",
    ],
    ["of a revoked key", () => signed, { keys: [publicLine(key)], revoked: ["laptop-1"] }, "key laptop-1 is revoked"],
    ["under no keys", () => signed, {}, "key laptop-1 is not one that option trust lists"],
    [
      "whose signature was taken out",
      () => signed.replace(/,\n\s+"signature": .*/, ""),
      { keys: [publicLine(key)] },
      "it is not signed",
    ],
    [
      "that was edited",
      () => signed.replace(/"gflops": [\d.]+/, '"gflops": 99'),
      { keys: [publicLine(key)] },
      "key laptop-1 did not sign it, or it was changed since",
    ],
  ])("refuses one that is %s, with onMiss too", async (_, lock, trust, why) => {
    for (const onMiss of ["error", "fallback"] as const)
      expect(await printedError(() => frozen(lock(), { ...trust, require }, onMiss))).toBe(refusedBecause(why));
  });

  turn("refuses an unsigned entry of another name, too, which a fall-back would take", async () => {
    const moved = (lock: string): string => lock.replace(name, "lib/gemm.op.ts?tune=wasm");
    const trust = { keys: [publicLine(key)], require };
    expect(await printedError(() => frozen(moved(unsigned), trust, "fallback"))).toBe(
      refusedBecause("it is not signed"),
    );
    expect((await frozen(moved(signed), trust, "fallback")).kernel.origin).toBe("same-isa");
  });

  turn("is not what every build does: without require, and in mode tune, the lock decides as before", async () => {
    expect((await frozen(unsigned, { keys: [publicLine(key)] })).kernel.origin).toBe("lock");
    const { kernel } = await compileIn(app(unsigned), { options: { trust: { require } } });
    expect(kernel.origin).toBe("lock");
  });
});

describe("the key that signs", () => {
  const withFile = (root: string, line: string, mode: number) => {
    const folder = join(root, "config/unplugin-kernel");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "signing.key"), line);
    chmodSync(join(folder, "signing.key"), mode);
    return { environment: { XDG_CONFIG_HOME: join(root, "config") } };
  };

  turn.skipIf(process.platform !== "linux")("is that of the user's configuration folder", async () => {
    const root = app();
    await compileIn(root, withFile(root, `${privateLine(key)}\n`, 0o600));
    const lock = readFileSync(lockOf(root), "utf8");
    expect(lock).toContain('"keyid": "laptop-1"');
    expect((await frozen(lock, { keys: [publicLine(key)], require })).kernel.origin).toBe("lock");
  });

  turn.skipIf(process.platform !== "linux")("is refused where others may read its file", async () => {
    const root = app();
    const said = await printedError(() => compileIn(root, withFile(root, privateLine(key), 0o644)));
    expect(said).toMatch(/^trust\.bad-key: .*signing\.key may be read or written by other users\n {2}hint: chmod 600 /);
  });

  turn.skipIf(process.platform === "win32")(
    "is refused where a folder is in its file's place, which chmod does not mend",
    async () => {
      const root = app();
      mkdirSync(join(root, "config/unplugin-kernel/signing.key"), { recursive: true });
      const said = await printedError(() =>
        compileIn(root, { environment: { XDG_CONFIG_HOME: join(root, "config") } }),
      );
      expect(said).toMatch(
        /^trust\.bad-key: .*signing\.key is no file\n {2}hint: wanted: a file with a line that cache keygen/,
      );
    },
  );

  turn("is not printed where it is malformed", async () => {
    const line = privateLine(key).replace(/=$/, "");
    const said = await printedError(() => compileIn(app(), { environment: { UNPLUGIN_KERNEL_SIGNING_KEY: line } }));
    expect(said).toBe(
      "trust.bad-key: the key in UNPLUGIN_KERNEL_SIGNING_KEY is no private key\n  hint: wanted: a line that cache keygen has written, ed25519-private:…",
    );
  });
});
