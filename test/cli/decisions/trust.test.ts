// `cache keygen`, `cache sign` and `cache trust`, and `verify` under option trust, as users run them.

import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { signFile } from "../../../src/cli/decisions/signing.ts";
import { resolveOptions } from "../../../src/plugin/options/options.ts";
import { printExchange } from "../../../src/tuner/store/exchange.ts";
import type { LoadSigstore } from "../../../src/tuner/trust/keyless.ts";
import { inTurn } from "../../support/long.ts";
import { printedError } from "../../support/op-file.ts";
import { lockEntry } from "../../tuner/store/sample-entry.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(7);

const name = "src/gemm.op.ts?tune=wasm";
let root = "";
let unsigned = "";
const config = mkdtempSync(join(tmpdir(), "config-"));
const keyFile = join(config, "unplugin-kernel/signing.key");
const lockfile = (): string => join(root, "kernels.lock.json");
const cli = (...args: readonly string[]) => runCli(root, ...args);

/** Writes the value of option trust to a file that --trust names. */
function trusting(trust: unknown): string {
  writeFileSync(join(root, "kernels.trust.json"), JSON.stringify(trust));
  return "--trust=kernels.trust.json";
}

beforeAll(() => {
  vi.stubEnv("XDG_CONFIG_HOME", config);
  root = writeProject({
    "src/gemm.op.ts": gemm,
    "src/app.ts": 'import gemm from "./gemm.op.ts?tune=wasm&trials=2";\ngemm;\n',
  });
  expect(cli("tune").exitCode).toBe(0);
  unsigned = readFileSync(lockfile(), "utf8");
});
afterAll(() => void vi.unstubAllEnvs());
beforeEach(() => writeFileSync(lockfile(), unsigned));

describe("signing", () => {
  let publicKey = "";

  it("begins with a key outside of the project that only its owner may read", () => {
    const { output, exitCode } = cli("cache", "keygen", "--id", "ci-2026");
    expect(exitCode).toBe(0);
    publicKey = output.split("\n")[0]!;
    expect(publicKey).toMatch(/^ed25519:ci-2026:[A-Za-z0-9+/]{43}=$/);
    expect(output).toContain(`The private key is in ${keyFile}.`);
    if (process.platform !== "win32") expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyFile, "utf8")).toMatch(/^ed25519-private:ci-2026:[A-Za-z0-9+/]{43}=\n$/);
    expect(output).not.toContain("ed25519-private");
  });

  it("never replaces a key", () => {
    const before = readFileSync(keyFile, "utf8");
    const { errors, exitCode } = cli("cache", "keygen");
    expect([exitCode, errors.split("\n")[0]]).toEqual([1, `trust.key-exists: ${keyFile} is there already`]);
    expect(readFileSync(keyFile, "utf8")).toBe(before);
  });

  turn("makes verify refuse the lock before, and take it after sign --lock", () => {
    const trust = trusting({ keys: [publicKey], require: ["decision"] });
    const before = cli("verify", trust);
    expect(before.exitCode).toBe(1);
    expect(before.errors).toContain(
      `trust.refused: the entry of ${name} in kernels.lock.json is refused: it is not signed`,
    );
    const signed = cli("cache", "sign", "--lock");
    expect([signed.exitCode, signed.output]).toEqual([0, `signed   ${name}\n1 signed by key ci-2026\n`]);
    expect(cli("verify", trust)).toMatchObject({ exitCode: 0, output: expect.stringContaining("right") });
    expect(readFileSync(lockfile(), "utf8").replace(/,\n\s+"signature": .*/, "")).toBe(unsigned);
  });

  turn("is listed by trust: who is trusted, and who signed what", () => {
    const trust = trusting({ keys: [publicKey], revoked: ["old"], require: ["decision"] });
    const before = cli("cache", "trust", trust);
    expect([before.exitCode, before.errors]).toEqual([
      1,
      `trusted  key ci-2026\nrevoked  key old\nhas to be signed: decision\n\nunsigned ${name}\n`,
    ]);
    cli("cache", "sign", "--lock");
    const after = cli("cache", "trust", trust);
    expect([after.exitCode, after.output.split("\n").at(-2)]).toEqual([0, `signed   ${name}: key ci-2026`]);
    writeFileSync(lockfile(), readFileSync(lockfile(), "utf8").replace(/"trials": \d+/, '"trials": 9999'));
    expect(cli("cache", "trust", trust)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining(`refused  ${name}: key ci-2026 did not sign it, or it was changed since`),
    });
  });

  turn("of a file of decisions is a bundle beside it, which trust checks", () => {
    const { candidate, source, measured } = lockEntry;
    const text = printExchange([{ key: "a".repeat(64), candidate, source, measured: measured! }]);
    writeFileSync(join(root, "decisions.jsonl"), text);
    expect(cli("cache", "sign", "decisions.jsonl")).toMatchObject({
      exitCode: 0,
      output: "1 decision of decisions.jsonl signed, in decisions.jsonl.sigstore.json\n",
    });
    const trust = trusting([publicKey]);
    expect(cli("cache", "trust", "decisions.jsonl", trust)).toMatchObject({
      exitCode: 0,
      output: "decisions.jsonl: 1 decisions, signed by key ci-2026\n",
    });
    writeFileSync(join(root, "decisions.jsonl"), text.replace("186.2", "999"));
    expect(cli("cache", "trust", "decisions.jsonl", trust)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining("is refused: it is not the file that key ci-2026 signed"),
    });
    expect(cli("cache", "trust", "decisions.jsonl")).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining("key ci-2026 is not one that option trust lists"),
    });
  });

  turn("takes its key from the environment in CI, or from --key", () => {
    const line = readFileSync(keyFile, "utf8").trim();
    cli("cache", "keygen", "--id", "second", "--out", "second.key");
    expect(cli("cache", "sign", "--lock", "--key", "second.key").output).toContain("1 signed by key second");
    vi.stubEnv("XDG_CONFIG_HOME", join(config, "empty"));
    expect(cli("cache", "sign", "--lock")).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(
        /^trust\.not-signed: there is no private key: neither UNPLUGIN_KERNEL_SIGNING_KEY nor /,
      ),
    });
    vi.stubEnv("UNPLUGIN_KERNEL_SIGNING_KEY", line);
    expect(cli("cache", "sign", "--lock").output).toContain("1 signed by key ci-2026");
    vi.stubEnv("UNPLUGIN_KERNEL_SIGNING_KEY", undefined);
    vi.stubEnv("XDG_CONFIG_HOME", config);
  });
});

turn("trust without signers says so", () => {
  expect(cli("cache", "trust")).toMatchObject({
    exitCode: 0,
    output: `no signer is trusted: --trust <file> names who is\nnothing has to be signed\n\nunsigned ${name}\n`,
  });
});

turn.each([
  ["keygen", ["--id", "A B"], /--id is "A B"/],
  ["sign", [], /cache sign names no file/],
  ["sign", ["missing.jsonl"], /cannot be read|no such file|no private key/],
  ["trust", ["--trust", "missing.json"], /--trust names missing\.json, which cannot be read/],
  ["ls", ["--keyless"], /cache ls has no use for --keyless/],
])("cache %s %j is refused", (what, args, why) => {
  const { exitCode, errors } = cli("cache", what, ...args);
  expect(exitCode).not.toBe(0);
  expect(errors).toMatch(why);
  expect(errors).not.toMatch(/\n\s+at /);
  expect(existsSync(join(root, "signing.key"))).toBe(false);
});

turn.each<[string, string, RegExp]>([
  [
    "a list that stands there twice",
    '{ "revoked": ["ci-2025"],\n"revoked": [] }',
    /the field "revoked" is there twice/,
  ],
  ["a private key in place of the file", "ed25519-private:ci:c2VjcmV0", /cannot be read: a value is missing/],
])("a file of option trust with %s is refused", (_, text, why) => {
  writeFileSync(join(root, "wrong.trust.json"), text);
  const { exitCode, errors } = cli("cache", "trust", "--trust", "wrong.trust.json");
  expect(exitCode).not.toBe(0);
  expect(errors).toMatch(why);
  expect(errors).not.toContain("c2Vj");
});

describe("signing without a key", () => {
  const sign = async (load: LoadSigstore) => {
    const text = printExchange([]);
    writeFileSync(join(root, "empty.jsonl"), text);
    return signFile({ options: resolveOptions({ root }, root, {}) }, "empty.jsonl", { keyless: true }, load);
  };

  it("writes what the package gives beside the file", async () => {
    const said = await sign(async () => ({ attest: async () => ({ mediaType: "x" }) }));
    expect(said.text).toBe("0 decisions of empty.jsonl signed, in empty.jsonl.sigstore.json");
    expect(readFileSync(join(root, "empty.jsonl.sigstore.json"), "utf8")).toBe('{"mediaType":"x"}\n');
  });

  it("says which package is missing", async () => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    expect(await printedError(() => sign(() => Promise.reject(missing)))).toBe(
      "trust.no-sigstore: signing without a key needs package sigstore, which is not installed\n  hint: install it (npm install -D sigstore), or sign with a key",
    );
  });

  it("says why Sigstore does not sign, and what to do", async () => {
    const attest = () => Promise.reject(new Error("no identity token"));
    expect(await printedError(() => sign(async () => ({ attest })))).toMatch(
      /^trust\.not-signed: Sigstore does not sign: no identity token\n {2}hint: a CI job has an identity: on GitHub .* id-token: write, .*cache keygen/,
    );
  });
});
