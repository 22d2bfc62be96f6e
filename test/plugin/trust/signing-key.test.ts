// The private key that signs: what is taken for one, from the environment and from a file, and what never is. No message has a part of it.

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { signingKeyOf } from "../../../src/plugin/trust/signing-key.ts";
import { generateSigningKey, privateLine, publicLine } from "../../../src/tuner/trust/keys.ts";
import { printedError } from "../../support/op-file.ts";

const key = generateSigningKey("ci-1");
const line = privateLine(key);
const ofText = (signingKey: string) => signingKeyOf({ signingKey, signingKeyFile: null });
const ofFile = (signingKeyFile: string) => signingKeyOf({ signingKey: null, signingKeyFile });

const pem = (made: KeyObject, rest = {}): string => made.export({ format: "pem", type: "pkcs8", ...rest }) as string;
const ed25519 = generateKeyPairSync("ed25519").privateKey;
const cipher = { cipher: "aes-256-cbc", passphrase: "hush" };

it.each([line, `${line}\n`, `${line}\r\n`, `\ufeff${line}`])("is one line, whatever ends it", (text) => {
  expect(publicLine(ofText(text)!)).toBe(publicLine(key));
});

it.each<[string, string]>([
  ["a public key", publicLine(key)],
  ["two keys", `${line}\n${line}`],
  ["a key and a comment", `${line} # of CI`],
  ["a key of another kind", line.replace("ed25519-private", "ed448-private")],
  ["an ed25519 key in PEM", pem(ed25519)],
  ["two keys in PEM", pem(ed25519) + pem(ed25519)],
  ["an encrypted key in PEM", pem(ed25519, cipher)],
  ["an RSA key in PEM", pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey)],
  ["an ECDSA key in PEM", pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)],
  ["an Ed448 key in PEM", pem(generateKeyPairSync("ed448").privateKey)],
  ["half of a key", line.slice(0, -10)],
  ["nothing but spaces", "  \n"],
])("%s is none, and is not shown", async (_, text) => {
  const said = await printedError(async () => ofText(text));
  expect(said).toBe(
    "trust.bad-key: the key in UNPLUGIN_KERNEL_SIGNING_KEY is no private key\n  hint: wanted: a line that cache keygen has written, ed25519-private:…",
  );
});

describe.skipIf(process.platform === "win32")("of a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "signing-key-"));
  function file(name: string, mode: number, text = line): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  it("is that which a link leads to, with the permissions of the file itself", async () => {
    const links = [0o600, 0o400, 0o640, 0o604, 0o602].map((mode) => {
      const link = join(folder, `link-${mode}`);
      symlinkSync(file(`of-link-${mode}`, mode), link);
      return link;
    });
    for (const link of links.slice(0, 2)) expect(publicLine(ofFile(link)!)).toBe(publicLine(key));
    for (const link of links.slice(2))
      expect(await printedError(async () => ofFile(link))).toMatch(
        /^trust\.bad-key: .* may be read or written by other users\n {2}hint: chmod 600 /,
      );
  });

  it("is none where a link leads nowhere, or a part of the path is a file", () => {
    symlinkSync(join(folder, "gone"), join(folder, "dangling"));
    expect(ofFile(join(folder, "dangling"))).toBeNull();
    expect(ofFile(join(file("a-file", 0o600), "signing.key"))).toBeNull();
  });

  it("is refused in place of a folder, a long file or a link to itself", async () => {
    mkdirSync(join(folder, "a-folder"), { mode: 0o700 });
    symlinkSync(join(folder, "loop"), join(folder, "loop"));
    expect(await printedError(async () => ofFile(join(folder, "a-folder")))).toMatch(
      /^trust\.bad-key: .* is no file\n/,
    );
    expect(await printedError(async () => ofFile(join(folder, "loop")))).toMatch(
      /^trust\.bad-key: .* cannot be read: /,
    );
    const long = file("long", 0o600, line.repeat(100));
    expect(await printedError(async () => ofFile(long))).toMatch(/^trust\.bad-key: .*long is no private key\n/);
  });
});
