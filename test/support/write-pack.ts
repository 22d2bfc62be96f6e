// A pack as it lies in a project that has installed it.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codegenVersion } from "../../src/compiler/index.ts";
import { printExchange, type SharedDecision } from "../../src/tuner/store/exchange.ts";

export interface WrittenPack {
  readonly name: string;
  readonly decisions: readonly SharedDecision[];
  readonly codegen?: string;
  /** Text of its file, in place of that of the decisions. */
  readonly text?: string;
  /** Fields of package.json, in place of its own. */
  readonly manifest?: object;
}

export function writePack(
  root: string,
  { name, decisions, codegen = codegenVersion, text, manifest }: WrittenPack,
): void {
  const folder = join(root, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  const own = { name, version: "1.0.0", unpluginKernel: { pack: 1, codegen, decisions: "decisions.jsonl" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest ?? own));
  writeFileSync(join(folder, "decisions.jsonl"), text ?? printExchange(decisions));
}
