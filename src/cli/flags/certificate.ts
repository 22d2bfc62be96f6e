// The certificate of a page's server, and its private key, from files that the user names.

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { badArgument } from "./flags.ts";

/** Texts of a certificate and its key, as node:https takes them. */
export interface Certificate {
  /** The certificate, and those that lead to its issuer, in PEM. */
  readonly cert: string;
  /** The private key, in PEM. */
  readonly key: string;
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw badArgument(`--${flag} ${file} cannot be read: ${(error as Error).message}`, `--${flag} <file in PEM>`);
  }
}

function certificateIn(text: string, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw badArgument(`--cert ${file} is no certificate in PEM`, "a file that begins with -----BEGIN CERTIFICATE-----");
  }
}

function keyIn(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw badArgument(
      `--key ${file} is no private key in PEM, or asks for a password`,
      "a private key without a password",
    );
  }
}

/** @throws DiagnosticError `command.bad-argument` */
export function readCertificate(certFile: string, keyFile: string): Certificate {
  const [cert, key] = [read("cert", certFile), read("key", keyFile)];
  if (!certificateIn(cert, certFile).checkPrivateKey(keyIn(key, keyFile)))
    throw badArgument(`--key ${keyFile} is not the key of --cert ${certFile}`, "the two files of one certificate");
  return { cert, key };
}
