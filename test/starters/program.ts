// The README's program: an operator is called through its import, and what comes of it has the types that it should have.

/** @param specifier of the import, for which `init` has written a pattern */
export const imports = (specifier = "#op/gemm.op.ts?tune=wasm"): string => `import gemm from "${specifier}";`;

/** Statements of TypeScript that end with `said`. A union in place of the array would be an error in strict projects. */
export const typedCall = `const ones = new Float32Array(512 * 512).fill(1);
const product: Float32Array = gemm(ones, ones);
const said = \`C[0] = \${product[0]}, \${gemm.info.twin}\`;`;

/** The same in JavaScript. */
export const untypedCall = typedCall.replace("product: Float32Array", "product");

/** A whole module. @param say what is called with the text */
export const program = (say: string, call = typedCall, specifier?: string): string =>
  `${imports(specifier)}\n${call}\n${say}(said);\n`;

/** A test in Vitest. */
export const vitestOf = (specifier: string): string => `import { expect, test } from "vitest";
${imports(specifier)}
test("gemm", async () => {
  const ones = new Float32Array(512 * 512).fill(1);
  const product: Float32Array = await gemm.async(ones, ones);
  expect(product[0]).toBe(512);
});
`;
