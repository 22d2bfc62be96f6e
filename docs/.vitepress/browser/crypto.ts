// Stands in for node:crypto in browsers. The compiler uses sha256 alone, and synchronously, which WebCrypto cannot do.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

interface Hash {
  update(content: string | Uint8Array): Hash;
  digest(encoding: "hex"): string;
}

export function createHash(algorithm: "sha256"): Hash {
  if (algorithm !== "sha256") throw new Error(`${algorithm} is not known here`);
  const hash = sha256.create();
  const self: Hash = {
    update(content) {
      hash.update(typeof content === "string" ? utf8ToBytes(content) : content);
      return self;
    },
    digest: () => bytesToHex(hash.digest()),
  };
  return self;
}
