// Imports of kernels in the text of a script: as people write them, and as compilers of TypeScript leave them.

import { describe, expect, it, test } from "vitest";
import { kernelSpecifiers, replaceSpecifiers } from "../../../src/plugin/jest/imports.ts";

const kernel = "./scores.op.ts?tune=wasm&documents=20";

/** Text with an import → the format that it asks for, in a module and in CommonJS. */
const forms: readonly [text: string, inModule: string, inCommonJs: string][] = [
  [`import scores from "${kernel}";`, "esm", "esm"],
  [`import scores from '${kernel}'`, "esm", "esm"],
  [`export { default } from "${kernel}";`, "esm", "esm"],
  [`const { default: scores } = await import("${kernel}");`, "esm", "esm"],
  [`const scores_1 = __importDefault(require("${kernel}"));`, "cjs", "cjs"],
  [`var _scores = _interopRequireDefault(require('${kernel}'));`, "cjs", "cjs"],
  [`_getJestObj().mock("${kernel}", () => 1)`, "esm", "cjs"],
  [`jest.mock("${kernel}", () => ({ default: () => [1] }));`, "esm", "cjs"],
  [`const real = jest . requireActual ( "${kernel}" );`, "esm", "cjs"],
];

describe.each(forms)("%s", (text, inModule, inCommonJs) => {
  it(`asks for ${inModule} in a module, ${inCommonJs} in CommonJS`, () => {
    expect(kernelSpecifiers(text)).toEqual([kernel]);
    const replaced = (isModule: boolean) => replaceSpecifiers(text, isModule, (_, format) => `/cache/${format}`);
    const expected = (format: string) => text.replace(/(["'])\.[^"']*\1/, `"/cache/${format}"`);
    expect(replaced(true)).toBe(expected(inModule));
    expect(replaced(false)).toBe(expected(inCommonJs));
  });
});

test("other imports stay as they are", () => {
  const text = `import a from "./a.js"; import b from "./b.svg?url"; import c from "./c.txt?raw&x=1"; const d = "${kernel}";`;
  expect(kernelSpecifiers(text)).toEqual([]);
  expect(replaceSpecifiers(text, true, () => undefined)).toBe(text);
});
