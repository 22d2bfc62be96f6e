// The operator that a project begins with, and which of its files tell TypeScript of imports with `?tune=` in general.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
}

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

/**
 * Returns the project's declarations and configurations that name the types which fit every operator: TypeScript takes the
 * first that fit.
 */
export const filesWithGeneralTypes = (root: string): readonly string[] =>
  [...filesIn(root, isTsconfig), ...declarationsOf(root)].filter((file) =>
    readFileSync(file, "utf8").includes("unplugin-kernel/client"),
  );
