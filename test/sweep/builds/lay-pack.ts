// The pack of a case, as it is installed in the project.

import { printExchange, type SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { type WrittenPack, writePack } from "../../support/write-pack.ts";
import type { BuildCase } from "./dimensions.ts";
import { packName } from "./project.ts";
import { forged } from "./start-remote.ts";

type Written = Omit<WrittenPack, "name">;

const packs: { readonly [pack in BuildCase["pack"]]?: (decisions: readonly SharedDecision[]) => Written } = {
  right: (decisions) => ({ decisions }),
  "with a wrong line": (decisions) => ({ decisions, text: `${printExchange(decisions)}{"key":1}\n` }),
  "of another code generator": (decisions) => ({ decisions, codegen: "0" }),
  "with a forged time": (decisions) => ({ decisions: decisions.map(forged) }),
};

export function layPack(root: string, kind: BuildCase["pack"], decision: SharedDecision): void {
  const pack = packs[kind]?.([decision]);
  if (pack) writePack(root, { name: packName, ...pack });
}
