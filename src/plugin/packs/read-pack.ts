// A pack's files → its decisions by key. They are data of strangers: read strictly, and whole or not at all.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codegenVersion } from "../../compiler/index.ts";
import { type DecisionIndex, indexDecisions } from "../../tuner/store/decision-index.ts";
import { parseExchange } from "../../tuner/store/exchange.ts";
import { readExchangeFile } from "../../tuner/store/exchange-file.ts";
import { ShapeError } from "../../tuner/support/strict.ts";
import type { OutsideFile } from "../trust/outside-decision.ts";
import { outsideFile } from "../trust/signed-file.ts";
import { decisionsName, decodePackManifest, manifestField, type PackManifest } from "./pack-manifest.ts";

export type PackContent =
  | { readonly kind: "ok"; readonly decisions: DecisionIndex; readonly file: OutsideFile }
  /** Its decisions are for another version of the code generator: none of them would be found. */
  | { readonly kind: "other-version"; readonly codegen: string }
  /** It is no pack, or wrong somewhere; with file and line. */
  | { readonly kind: "wrong"; readonly why: string };

const wrong = (why: string): PackContent => ({ kind: "wrong", why });

export function readPack(folder: string): PackContent {
  const manifest = readManifest(folder);
  if (typeof manifest === "string") return wrong(`package.json: ${manifest}`);
  if (manifest.codegen !== codegenVersion) return { kind: "other-version", codegen: manifest.codegen };
  const path = join(folder, decisionsName);
  const content = readExchangeFile(path);
  if (content.kind === "unreadable") return wrong(`${decisionsName}: ${content.why}`);
  const parsed = parseExchange(content.text);
  if (parsed.kind === "wrong") {
    const { line, why } = parsed.problems[0]!;
    return wrong(`${decisionsName}:${line}: ${why}`);
  }
  return { kind: "ok", decisions: indexDecisions(parsed.decisions), file: outsideFile(path, content.text) };
}

/** Returns what package.json says of the pack; text: why that is nothing. */
export function readManifest(folder: string): PackManifest | string {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown> | null;
    if (manifest?.[manifestField] === undefined) return `it has no field ${manifestField}: the package is no pack`;
    return decodePackManifest(manifest[manifestField], [manifestField]);
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return error.message;
    if (error instanceof Error && "syscall" in error) return error.message;
    throw error;
  }
}
