// Types of the web's own functions for arrays of a kernel: they take results as they are, except that pixels of a canvas have a type of
// their own.

import { beforeAll, expect, it } from "vitest";
import { suitesInTurn } from "../../support/long.ts";
import { compilers, declarationsOf, importing, typeErrors } from "./type-check.ts";

const operators = {
  "invert.op.ts": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 16 }, ({ N }) => {
  const x = tensor("x", [N], "u8");
  return compute("y", [N], (i) => x(i).max(128));
});`,
  "twice.op.ts": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 16 }, ({ N }) => {
  const x = tensor("x", [N], "f16");
  return compute("y", [N], (i) => x(i).max(0.5).cast("f16"));
});`,
};

/** Lines that are right, and with "wrong" behind them one that is an error. */
const pixels = `import invert from "./invert.op.ts?tune=wasm";
const image = new ImageData(2, 2), bytes = new Uint8Array(16);
/** As \`GPUQueue.writeBuffer\` takes data. */
declare function writeBuffer(offset: number, data: ArrayBufferView<ArrayBuffer>): void;
export const y: Uint8Array<ArrayBuffer> = invert(bytes);
export const blob = new Blob([y]);
export const posted = fetch("/result", { method: "POST", body: y });
writeBuffer(0, y);
invert(image);
invert(image.data);
invert(bytes, image);
invert(bytes, new Uint8ClampedArray(16));
export const wrapped = new ImageData(new Uint8ClampedArray(y.buffer, y.byteOffset, y.length), 2, 2);
export const unwrapped = new ImageData(y, 2, 2); // wrong
invert(new Float32Array(16)); // wrong
`;
const halves = `import twice from "./twice.op.ts?tune=wasm";
export const fromHalves = twice(new Float16Array(16));
export const fromBits = twice(new Uint16Array(16));
export const half: number | undefined = fromHalves instanceof Float16Array ? fromHalves[0] : undefined;
twice(new Float16Array(16), new Float16Array(16));
twice(new Float32Array(16)); // wrong
`;
const programs = { "pixels.ts": pixels, "halves.ts": halves };

/** "pixels.ts:14" for each line that is an error. */
const wrongLines = Object.entries(programs).flatMap(([name, text]) =>
  text.split("\n").flatMap((line, at) => (line.endsWith("// wrong") ? [`${name}:${at + 1}`] : [])),
);

const suite = suitesInTurn(3);

for (const { title, missing, compiler } of compilers)
  suite.skipIf(missing !== "")(title, () => {
    let errors: readonly string[] = [];
    beforeAll(async () => {
      const imports = { "main.ts": importing("./invert.op.ts?tune=wasm", "./twice.op.ts?tune=wasm") };
      const files = { ...operators, "kernels.d.ts": await declarationsOf({ ...operators, ...imports }), ...programs };
      const options = { ...compiler.options, lib: ["es2023", "dom", "esnext.float16"] };
      errors = typeErrors(files, { ...compiler, options });
    });

    it("takes results for what a page sends and draws, and pixels and halves for arguments", () => {
      expect(errors.map((error) => error.split(": ")[0])).toEqual(wrongLines.toSorted());
    });

    it("wants pixels of a canvas as such: a view of the result", () => {
      expect(errors).toContainEqual(expect.stringMatching(/^pixels\.ts:14: TS2769: No overload matches this call/));
    });
  });
