// The private key that signs decisions: of the environment, for CI, or of a file in the user's configuration folder. Options → key.

import { readFileSync, statSync } from "node:fs";
import { refuse } from "../../compiler/index.ts";
import { parseSigningKey, type SigningKey } from "../../tuner/trust/keys.ts";
import type { CompileOptions } from "../options/options.ts";

const hint = "a line that cache keygen has written, ed25519-private:…";

/**
 * Returns the key that is configured; null: none is.
 *
 * @throws DiagnosticError `trust.bad-key`
 */
export function signingKeyOf({
  signingKey,
  signingKeyFile,
}: Pick<CompileOptions, "signingKey" | "signingKeyFile">): SigningKey | null {
  if (signingKey !== null) return parsed(signingKey, "the key in UNPLUGIN_KERNEL_SIGNING_KEY");
  const line = signingKeyFile && readKey(signingKeyFile);
  return line ? parsed(line, signingKeyFile!) : null;
}

/** @throws DiagnosticError `trust.bad-key`. The message never has the line. */
function parsed(line: string, where: string): SigningKey {
  const key = parseSigningKey(line.trim());
  if (!key) throw refuse("trust.bad-key", `${where} is no private key`, `wanted: ${hint}`);
  return key;
}

/** Reads a key file; null: there is none. A file that others may read is refused, as ssh does. */
export function readKey(path: string): string | null {
  try {
    const found = statSync(path);
    const { mode, size } = found;
    if (!found.isFile()) throw refuse("trust.bad-key", `${path} is no file`, `wanted: a file with ${hint}`);
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw refuse("trust.bad-key", `${path} may be read or written by other users`, `chmod 600 ${path}`);
    if (size > 4096) throw refuse("trust.bad-key", `${path} is no private key`, `wanted: ${hint}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (syscall === undefined) throw error;
    throw refuse("trust.bad-key", `${path} cannot be read: ${message}`, `wanted: a file with ${hint}`);
  }
}
