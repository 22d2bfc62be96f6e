// Certificates of pages that sign themselves, with names and addresses that they are for, and their keys, in PEM.

import { generateKeyPairSync, sign } from "node:crypto";
import * as der from "./sigstore/der.ts";

export interface CertifiedPage {
  readonly cert: string;
  readonly key: string;
}

const ecdsaWithSha256 = der.sequence(der.oid("1.2.840.10045.4.3.2"));
const name = der.sequence(der.set(der.sequence(der.oid("2.5.4.3"), der.text("a page"))));
const day = 86_400_000;

/** A name, or an address of four numbers. */
const generalName = (of: string): Buffer =>
  /^[\d.]+$/.test(of) ? der.tagged(0x87, Buffer.from(of.split(".").map(Number))) : der.tagged(0x82, Buffer.from(of));

export function certifiedPage(...names: readonly string[]): CertifiedPage {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const alternatives = der.sequence(der.oid("2.5.29.17"), der.octets(der.sequence(...names.map(generalName))));
  const content = der.sequence(
    der.tagged(0xa0, der.integer(2)),
    der.integer(1),
    ecdsaWithSha256,
    name,
    der.sequence(der.time(new Date(Date.now() - day)), der.time(new Date(Date.now() + day))),
    name,
    publicKey.export({ format: "der", type: "spki" }),
    der.tagged(0xa3, der.sequence(alternatives)),
  );
  const bytes = der.sequence(content, ecdsaWithSha256, der.bits(sign("sha256", content, privateKey)));
  const lines = bytes.toString("base64").match(/.{1,64}/g)!;
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ format: "pem", type: "pkcs8" })),
  };
}
