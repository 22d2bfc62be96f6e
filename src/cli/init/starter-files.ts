// What a project gets in files of its own: an operator to begin with, and where TypeScript is told of imports with `?tune=`.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endOfLine } from "./text-edit.ts";

export const starterOperator = `// C = A · B. Its import is a kernel: import gemm from "#op/gemm.op.ts?tune=wasm"

import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";

export default defineOp({ M: 512, N: 512, K: 512 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
});
`;

export interface FileText {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

const reference = '/// <reference types="unplugin-kernel/client" />';

/** Where the types of imports may have been told already: generated declarations do without ours. */
const tellsTypes = (text: string): boolean =>
  text.includes("unplugin-kernel/client") || /^declare module ".*\?.*tune=/m.test(text);

const filesIn = (folder: string, isWanted: (name: string) => boolean): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(isWanted)
        .map((name) => join(folder, name))
    : [];

const isTsconfig = (name: string): boolean => /^tsconfig.*\.json$/.test(name);
const isDeclaration = (name: string): boolean => name.endsWith(".d.ts");

const declarationsOf = (root: string): readonly string[] =>
  [root, join(root, "src")].flatMap((folder) => filesIn(folder, isDeclaration));

/** Which of a project's declarations and configurations have the types that fit every operator: TypeScript takes the first that fit. */
export const filesWithGeneralTypes = (root: string): readonly string[] =>
  [...filesIn(root, isTsconfig), ...declarationsOf(root)].filter((file) =>
    readFileSync(file, "utf8").includes("unplugin-kernel/client"),
  );

/** Null: the project has no TypeScript, or it is told already. */
export function typeReference(root: string): FileText | null {
  const configs = filesIn(root, isTsconfig);
  if (configs.length === 0) return null;
  const sources = join(root, "src");
  if ([...configs, ...declarationsOf(root)].some((file) => tellsTypes(readFileSync(file, "utf8")))) return null;
  const ofVite = join(sources, "vite-env.d.ts");
  if (!existsSync(ofVite)) {
    const folder = existsSync(sources) ? sources : root;
    return { file: join(folder, "kernel-env.d.ts"), text: `${reference}\n` };
  }
  const text = readFileSync(ofVite, "utf8");
  return { file: ofVite, text: `${reference}${endOfLine(text)}${text}` };
}
