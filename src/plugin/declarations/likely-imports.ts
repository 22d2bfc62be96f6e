// A project's operator files → imports of them that may be written next: their types are there before anybody generates them again, so
// that a program that has just been written passes its type check.

import { readFileSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import { ownCondition, packageOf } from "../request/locate-operator.ts";

/** Queries that documentation begins with. */
const likelyQueries = ["?tune=wasm", "?tune=native"];

export interface LikelyImports {
  /** "./gemm.op.ts?tune=wasm", "#op/gemm.op.ts?tune=wasm" */
  readonly exact: readonly string[];
  /** "#op/gemm.op.ts?*": TypeScript takes it where no import is known exactly. Relative imports have none: their star comes before. */
  readonly anyQuery: readonly string[];
}

type Targets = Readonly<Record<string, unknown>>;

function importsOfPackage(manifest: string): Targets {
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { imports?: Targets }).imports ?? {};
  } catch {
    // A package.json that cannot be read is reported by the tool that builds the project.
    return {};
  }
}

/** Returns the text that the star of a pattern stands for; null: the text does not fit. */
function starIn(pattern: string, text: string): string | null {
  const [before = "", after] = pattern.split("*");
  if (after === undefined) return pattern === text ? "" : null;
  const fits = text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length;
  return fits ? text.slice(before.length, text.length - after.length) : null;
}

/** Returns the target of an entry of package.json's `imports` for programs: under our own condition, as `types` leads elsewhere. */
function targetOf(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null) return entry;
  const { [ownCondition]: own, default: others } = entry as Targets;
  return own ?? others;
}

/** Names that lead to a file by the "imports" of package.json: "#op/gemm.op.ts". */
function namesInPackage(file: string): readonly string[] {
  const manifest = packageOf(file);
  if (manifest === null) return [];
  const path = `./${relative(dirname(manifest), file).split(sep).join("/")}`;
  const names = Object.entries(importsOfPackage(manifest)).flatMap(([key, entry]) => {
    const target = targetOf(entry);
    const star = typeof target === "string" ? starIn(target.split("?")[0]!, path) : null;
    return star === null ? [] : [key.split("?")[0]!.replace("*", star)];
  });
  return [...new Set(names)];
}

export function likelyImports(file: string): LikelyImports {
  const names = namesInPackage(file);
  return {
    exact: [`./${basename(file)}`, ...names].flatMap((name) => likelyQueries.map((query) => name + query)),
    anyQuery: names.map((name) => `${name}?*`),
  };
}
