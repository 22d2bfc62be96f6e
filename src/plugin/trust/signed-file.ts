// A file of decisions on this machine, of `cache export` or a pack, with the signature that may lie beside it.

import { existsSync } from "node:fs";
import { sha256 } from "../../compiler/index.ts";
import { readExchangeFile } from "../../tuner/store/exchange-file.ts";
import { signatureOf } from "../../tuner/trust/signed-decisions.ts";
import { type OutsideFile, unsigned } from "./outside-decision.ts";

/** @param text of the file, as it was parsed: another file may lie there by the time that its signature is read */
export const outsideFile = (path: string, text: string): OutsideFile => ({
  digest: sha256(text),
  signature() {
    if (!existsSync(signatureOf(path))) return unsigned;
    const content = readExchangeFile(signatureOf(path));
    return content.kind === "read" ? { bundle: content.text } : { why: `its signature cannot be read: ${content.why}` };
  },
});
