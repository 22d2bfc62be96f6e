import binaryen from "binaryen";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readUnsigned, signed, unsigned } from "../../../../src/compiler/codegen/wasm/binary.ts";
import { encodeModule } from "../../../../src/compiler/codegen/wasm/encode.ts";
import {
  call,
  i32,
  lane,
  plain,
  readGlobal,
  set,
  v128,
  type WasmInstruction,
} from "../../../../src/compiler/codegen/wasm/instruction.ts";
import { isOpName, type OpName, opcodes } from "../../../../src/compiler/codegen/wasm/opcodes.ts";
import { printModule } from "../../../../src/compiler/codegen/wasm/print-wat.ts";
import { sharingOf, unsharedFlag } from "../../../../src/compiler/codegen/wasm/sharing.ts";

const decode = (bytes: readonly number[], isSigned: boolean): bigint => {
  const value = bytes.reduce((sum, byte, at) => sum | (BigInt(byte & 0x7f) << BigInt(7 * at)), 0n);
  return isSigned ? BigInt.asIntN(7 * bytes.length, value) : value;
};

describe("LEB128", () => {
  it("writes the examples of the DWARF specification", () => {
    expect(unsigned(624485)).toEqual([0xe5, 0x8e, 0x26]);
    expect(signed(-123456n)).toEqual([0xc0, 0xbb, 0x78]);
    expect(signed(64n)).toEqual([0xc0, 0x00]);
  });

  it("comes back for every number", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (n) => decode(unsigned(n), false) === BigInt(n)));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (n) => {
        const bytes = [0, ...unsigned(n), 0];
        expect(readUnsigned(Uint8Array.from(bytes), 1)).toEqual({ value: n, end: bytes.length - 1 });
      }),
    );
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => decode(signed(n), true) === n));
  });
});

const alone = { pages: 1, isShared: false } as const;

/** The name that binaryen prints for a vector instruction of (v128, v128) → v128, from our bytes. */
function printedName(op: OpName): string {
  const code: WasmInstruction[] = [v128(new Array<number>(16).fill(1)), v128(new Array<number>(16).fill(2)), plain(op)];
  const functions = [{ name: "run", params: [], results: ["v128"], locals: [], code }] as const;
  const module = binaryen.readBinary(encodeModule({ memory: alone, constants: [], functions, exported: 1 }));
  const text = module.emitText();
  module.dispose();
  return /\((\S+)\s+\(v128\.const/.exec(text)?.[1] ?? text;
}

describe("opcodes", () => {
  const binary = /\.(add|sub|mul|div|pmin|pmax|(eq|ne)|(lt|le|gt|ge|min|max|narrow_\w+)(_[su])?|extmul_\w+)$/;
  const vectors = Object.keys(opcodes)
    .filter(isOpName)
    .filter((op) => /^[if]\d+x/.test(op) && binary.test(op));

  it("mean to binaryen what their names say", () => {
    expect(vectors.length).toBeGreaterThan(60);
    // binaryen prints f32x4.pmin and the like with the names of the specification.
    for (const op of vectors) expect(printedName(op)).toBe(op);
  });

  it("are all different", () => {
    const codes = Object.values(opcodes);
    expect(new Set(codes).size).toBe(codes.length);
  });
});

describe("encodeModule", () => {
  it("writes the smallest module byte for byte", () => {
    const code = [i32(3), plain("i32x4.splat"), lane("i32x4.extract_lane", 2), plain("drop")];
    const bytes = encodeModule({
      memory: { pages: 2, isShared: false },
      constants: [],
      functions: [{ name: "run", params: [], results: [], locals: ["i32", "i32", "v128"], code }],
      exported: 1,
    });
    expect(Buffer.from(bytes).toString("hex")).toBe(
      [
        "0061736d01000000",
        "010401600000", // one type: () → ()
        "03020100", // one function of it
        "0503010002", // two pages
        "0606017f0141000b", // a mutable i32, 0
        "0710020372756e0000066d656d6f72790200", // run and memory
        "0a10010e02027f017b4103fd11fd1b021a0b",
      ].join(""),
    );
  });

  it("writes a module whose loops are shared as its text says", () => {
    const functions = [
      { name: "run", params: [], results: [], locals: [], code: [i32(0), i32(9), call("share")] },
      { name: "part0", params: ["i32", "i32"], results: [], locals: ["v128"], code: [readGlobal(1), set(2)] },
      { name: "mod", params: [], results: [], locals: [], code: [] },
    ] as const;
    const constants = [Array.from({ length: 16 }, (_, byte) => byte)];
    const shared = { memory: { pages: 300, isShared: true }, constants, functions, exported: 2 };
    const bytes = encodeModule(shared);
    const { pages, flagAt } = sharingOf(bytes, 2)!;
    expect(pages).toBe(300);
    const text = (module: binaryen.Module): string => {
      const printed = module.emitText();
      module.dispose();
      return printed.replaceAll(/\$\w+/g, "");
    };
    expect(text(binaryen.readBinary(bytes))).toBe(text(binaryen.parseText(printModule(shared))));
    expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes))).toEqual([
      { module: "kernel", name: "memory", kind: "memory" },
      { module: "kernel", name: "share", kind: "function" },
    ]);
    const share = () => undefined;
    const limits = { initial: 300, maximum: 300 };
    const instance = (memory: WebAssembly.Memory) =>
      new WebAssembly.Instance(new WebAssembly.Module(bytes), { kernel: { memory, share } });
    expect(() => instance(new WebAssembly.Memory(limits))).toThrow(WebAssembly.LinkError);
    instance(new WebAssembly.Memory({ ...limits, shared: true }));
    bytes[flagAt] = unsharedFlag;
    instance(new WebAssembly.Memory(limits));
  });

  it("has nothing to share where it has its own memory", () => {
    const functions = [{ name: "run", params: [], results: [], locals: [], code: [] }] as const;
    expect(sharingOf(encodeModule({ memory: alone, constants: [], functions, exported: 1 }), 2)).toBe(null);
  });
});
