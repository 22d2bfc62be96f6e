// Option `trust` → the policy that signatures are held against: keys parsed, the trusted root read. Loaded only where a signature
// is to be checked.

import { readFileSync, statSync } from "node:fs";
import { refuse } from "../../compiler/index.ts";
import { parsePublicKey } from "../../tuner/trust/keys.ts";
import type { TrustPolicy } from "../../tuner/trust/policy.ts";
import type { ResolvedTrust } from "../options/trust-option.ts";

/** Most bytes of a trusted root: Sigstore's public one has 7 kB. */
const mostRootBytes = 2 ** 20;

/** @throws DiagnosticError `trust.bad-key`: the trusted root cannot be read */
export const policyOf = ({ keys, revoked, identities, trustedRoot }: ResolvedTrust): TrustPolicy => ({
  keys: keys.flatMap((line) => parsePublicKey(line) ?? []),
  revoked,
  identities,
  trustedRoot: trustedRoot === null ? null : readRoot(trustedRoot),
});

function readRoot(path: string): unknown {
  try {
    const { size } = statSync(path);
    if (size > mostRootBytes) throw new RangeError(`it has ${size} bytes`);
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse("trust.bad-key", `the trusted root ${path} cannot be read: ${why}`, null);
  }
}
