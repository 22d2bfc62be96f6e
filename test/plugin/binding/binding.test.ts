// The emitted modules, imported by Node as a bundle would import them.

import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CompiledKernel } from "../../../src/plugin/kernel/compiled-kernel.ts";
import type { AnyKernel } from "../../../src/plugin/options/types.ts";
import { expected, fakeKernel, inputs, nativeKernel, noAddon, tensors, wasmSource } from "../../support/fake-kernel.ts";
import { loadModule, writeModule } from "../../support/load-module.ts";
import { wasmOf } from "../../support/parts-of.ts";

/** Runs the kernel in a Node of its own and returns what it printed: which twin, why, and the result. */
function runInNode(kernel: CompiledKernel, flags: readonly string[]) {
  const script = `
    import(process.argv[1]).then(({ default: blend }) => {
      const [A, B] = [Float32Array.from({ length: 8 }, (_, i) => i), new Float32Array(8).fill(1)];
      const result = [...blend(A, B)];
      console.log(JSON.stringify({ result, twin: blend.info.twin, reason: blend.info.twinReason }));
    });`;
  const output = execFileSync(process.execPath, [...flags, "-e", script, writeModule(kernel)], { encoding: "utf8" });
  return JSON.parse(output) as { result: number[]; twin: string; reason: string | null };
}

/** Takes Node's own modules away, so that a module finds itself in a browser. */
function pretendBrowser(): void {
  vi.stubGlobal("process", { ...process, getBuiltinModule: undefined });
}
afterEach(() => vi.unstubAllGlobals());

const hasRelaxed = WebAssembly.validate(wasmSource(true).bytes);

describe("the WASM twin", () => {
  it("allocates the result, or writes into the caller's", async () => {
    const blend = await loadModule(fakeKernel());
    const [A, B] = inputs();
    expect([...blend(A, B)]).toEqual(expected("wasm"));
    const C = new Float32Array(8);
    expect(blend(A, B, C)).toBe(C);
    expect([...C]).toEqual(expected("wasm"));
  });

  it("copies nothing on its own buffers, and leaves them alone in other calls", async () => {
    const blend = await loadModule(fakeKernel());
    const own = blend.buffers() as Record<"A" | "B" | "C", Float32Array>;
    expect(Object.keys(own)).toEqual(["A", "B", "C"]);
    expect(own.A.buffer).toBe(own.C.buffer);
    expect(blend.buffers().A).toBe(own.A);
    const [A, B] = inputs();
    own.A.set(A);
    own.B.set(B);
    blend(new Float32Array(8).fill(7), new Float32Array(8).fill(7));
    expect([...own.A]).toEqual([...A]);
    expect([...blend(own.A, own.B, own.C)]).toEqual(expected("wasm"));
    expect([...blend(own.A, own.B)]).toEqual(expected("wasm"));
  });

  it("takes views with an offset and shared memory", async () => {
    const blend = await loadModule(fakeKernel());
    const [A, B] = inputs();
    const offset = new Float32Array(20);
    offset.set(A, 3);
    const shared = new Float32Array(new SharedArrayBuffer(32));
    shared.set(B);
    expect([...blend(offset.subarray(3, 11), shared)]).toEqual(expected("wasm"));
  });

  it("runs off the event loop, several calls at once, and lets the process end", async () => {
    const blend = await loadModule(fakeKernel());
    const [A, B] = inputs();
    const C = new Float32Array(8);
    const calls = [blend.async(A, B, C), blend.async(A, B), blend.async(A, B)];
    A.fill(99);
    const results = await Promise.all(calls);
    expect(results[0]).toBe(C);
    for (const result of results) expect([...result]).toEqual(expected("wasm"));
  });

  it("uses relaxed SIMD where the engine has it", () => {
    const kernel = fakeKernel({ relaxed: wasmSource(true) });
    const flags = hasRelaxed ? [] : ["--experimental-wasm-relaxed-simd"];
    expect(runInNode(kernel, flags)).toEqual({ result: expected("wasm-relaxed"), twin: "wasm-relaxed", reason: null });
  });

  it.skipIf(hasRelaxed)(
    `uses plain SIMD where the engine has no relaxed${hasRelaxed ? " (this engine has it)" : ""}`,
    () => {
      const kernel = fakeKernel({ relaxed: wasmSource(true) });
      expect(runInNode(kernel, [])).toEqual({
        result: expected("wasm"),
        twin: "wasm",
        reason: "the engine has no relaxed SIMD",
      });
    },
  );

  it("says what it is", async () => {
    const { info } = await loadModule(fakeKernel());
    expect(info).toMatchObject({
      op: "blend",
      parameters: { M: 2, N: 4 },
      target: "wasm",
      numerics: "fast",
      schedule: "vectorize C.j\nunroll C.i",
      gflops: 12.5,
      cacheKey: "0123abcd",
      errorBound: 1e-6,
      twin: "wasm",
      twinReason: null,
    });
    expect(info.tensors[2]).toEqual({ name: "C", dtype: "f32", shape: [2, 4], role: "output" });
  });
});

it("takes pixels for bytes, by themselves and in ImageData, as inputs and outputs", async () => {
  const bytes = (name: string, role: "input" | "output") => ({ ...tensors[0]!, name, dtype: "u8" as const, role });
  const invert = await loadModule(
    fakeKernel({
      tensors: [bytes("image", "input"), bytes("out", "output")],
      wasm: null,
      loops: {
        kind: "js",
        name: "invert",
        parameters: [],
        text: "for (let i = 0; i < 8; i++) arg1[i] = 255 - arg0[i];",
      },
    }),
  );
  const data = Uint8ClampedArray.from({ length: 8 }, (_, i) => i * 30);
  const wanted = [...data].map((value) => 255 - value);
  const out = new Uint8ClampedArray(8);
  invert({ data }, out);
  expect([...out]).toEqual(wanted);
  expect([...invert<Uint8Array<ArrayBuffer>>(data)]).toEqual(wanted);
  expect([...(await invert.async<Uint8Array<ArrayBuffer>>(data))]).toEqual(wanted);
  const wrong = { data: new Float32Array(8) } as unknown as { data: Uint8ClampedArray };
  expect(() => invert(wrong)).toThrow("argument 1 (image) must be a Uint8Array of 8 elements");
});

describe("several outputs", () => {
  const two = fakeKernel({
    tensors: [tensors[0]!, { ...tensors[1]!, name: "sum", role: "output" }, { ...tensors[2]!, name: "last one" }],
    wasm: null,
    loops: { kind: "js", name: "blend", parameters: [], text: "arg1.fill(arg0[1]); arg2.fill(arg0[2]);" },
  });

  it("come as an object by name", async () => {
    const kernel = await loadModule(two);
    const [A] = inputs();
    const { sum, "last one": last, ...rest } = kernel<Record<string, Float32Array>>(A);
    expect([sum![0], last![7], rest]).toEqual([1, 2, {}]);
    const own = [new Float32Array(8), new Float32Array(8)] as const;
    expect(kernel<Record<string, Float32Array>>(A, ...own).sum).toBe(own[0]);
    const late = await kernel.async<Record<string, Float32Array>>(A);
    expect([late.sum![0], late["last one"]![7]]).toEqual([1, 2]);
    expect(kernel.info.twin).toBe("reference");
  });

  it("must be given all or none, each with memory of its own", async () => {
    const kernel = await loadModule(two);
    const [A, B] = inputs();
    expect(() => kernel(A, B)).toThrow(
      new TypeError("blend takes A and then none or all of sum, last one; got 2 arguments"),
    );
    expect(() => kernel(A, B, B)).toThrow(
      new RangeError("blend: argument 3 (last one) overlaps argument 2 (sum); an output needs memory of its own"),
    );
  });
});

describe("wrong arguments", () => {
  const [A, B] = inputs();
  const detached = new Float32Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  const memory = new ArrayBuffer(96);
  const impostor = Object.setPrototypeOf(new Uint8Array(8), Float32Array.prototype);
  const liar = Object.defineProperty(new Float32Array(4), "length", { value: 8 });
  const A8 = "blend: argument 1 (A) must be a Float32Array of 8 elements, f32[2, 4]; ";

  const cases: readonly [string, unknown[], Error][] = [
    ["none", [], new TypeError("blend takes A, B and then none or all of C; got 0 arguments")],
    ["four", [A, B, B, B], new TypeError("blend takes A, B and then none or all of C; got 4 arguments")],
    ["undefined", [undefined, B], new TypeError(`${A8}got undefined`)],
    ["a number", [3, B], new TypeError(`${A8}got a number`)],
    ["an array", [[1, 2], B], new TypeError(`${A8}got an Array`)],
    ["an object without a prototype", [Object.create(null), B], new TypeError(`${A8}got an object`)],
    ["another typed array", [new Int32Array(8), B], new TypeError(`${A8}got an Int32Array`)],
    ["a false prototype", [impostor, B], new TypeError(`${A8}got a Uint8Array`)],
    ["a false length", [liar, B], new RangeError(`${A8}got 4 elements`)],
    ["too short", [new Float32Array(7), B], new RangeError(`${A8}got 7 elements`)],
    ["too long", [new Float32Array(9), B], new RangeError(`${A8}got 9 elements`)],
    ["detached", [detached, B], new TypeError(`${A8}its buffer is detached`)],
    [
      "a wrong output",
      [A, B, new Float64Array(8)],
      new TypeError("blend: argument 3 (C) must be a Float32Array of 8 elements, f32[2, 4]; got a Float64Array"),
    ],
    [
      "the output is an input",
      [A, B, A],
      new RangeError("blend: argument 3 (C) overlaps argument 1 (A); an output needs memory of its own"),
    ],
    [
      "the output starts in an input",
      [A, new Float32Array(memory, 0, 8), new Float32Array(memory, 28, 8)],
      new RangeError("blend: argument 3 (C) overlaps argument 2 (B); an output needs memory of its own"),
    ],
  ];

  it.each(cases)("%s", async (_, args, error) => {
    const blend = await loadModule(fakeKernel());
    const call = blend as (...values: unknown[]) => unknown;
    expect(() => call(...args)).toThrow(error);
    await expect((blend.async as (...values: unknown[]) => Promise<unknown>)(...args)).rejects.toThrow(error);
  });

  it("neighbours in one buffer are fine", async () => {
    const blend = await loadModule(fakeKernel());
    const [one, other, C] = [0, 32, 64].map((offset) => new Float32Array(memory, offset, 8));
    one!.set(A);
    other!.set(B);
    expect([...blend(one!, other!, C!)]).toEqual(expected("wasm"));
  });
});

describe("in a browser", () => {
  it("answers the first call at once, from the module's own text", async () => {
    const blend = await loadModule(fakeKernel({ relaxed: wasmSource(true) }), "browser");
    pretendBrowser();
    expect([...blend(...inputs())]).toEqual(expected(blend.info.twin as "wasm"));
  });

  it("wants ready() for a module in a file of its own", async () => {
    const kernel = fakeKernel();
    const blend = await loadModule(kernel, "browser", false);
    pretendBrowser();
    const early = "blend is not loaded yet: await its ready() before the first call, or import it with &sync";
    expect(() => blend(...inputs())).toThrow(new Error(early));
    expect(blend.info.twin).toBe(null);
    vi.stubGlobal("fetch", async () => new Response(wasmOf(kernel)!.bytes));
    await Promise.all([blend.ready(), blend.ready()]);
    expect([...blend(...inputs())]).toEqual(expected("wasm"));
    expect(blend.info.twin).toBe("wasm");
  });

  it("loads the file once for all who wait, and again where it did not come", async () => {
    const kernel = fakeKernel();
    const blend: AnyKernel = await loadModule(kernel, "browser", false);
    pretendBrowser();
    const fetched = vi.fn(async () => new Response("", { status: 503 }));
    vi.stubGlobal("fetch", fetched);
    await Promise.allSettled([blend.ready(), blend.ready()]);
    expect(fetched).toHaveBeenCalledTimes(1);
    fetched.mockImplementation(async () => new Response(wasmOf(kernel)!.bytes));
    const results = await Promise.all([1, 2, 3].map(() => blend.async<Float32Array>(...inputs())));
    expect(results.map((C) => [...C])).toEqual([1, 2, 3].map(() => expected("wasm")));
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("says which file did not come", async () => {
    const blend = await loadModule(fakeKernel(), "browser", false);
    pretendBrowser();
    vi.stubGlobal("fetch", async () => new Response("", { status: 404 }));
    await expect(blend.ready()).rejects.toThrow("blend: 404 for ");
  });
});

describe("the native twin", () => {
  const skipped = noAddon === null ? "" : ` (${noAddon})`;

  it.skipIf(noAddon)(`answers on a CPU that has what it needs${skipped}`, async () => {
    const blend: AnyKernel = await loadModule(fakeKernel({ target: "avx2", native: nativeKernel() }));
    expect([...blend(...inputs())]).toEqual(expected("native"));
    expect([...(await blend.async(...inputs()))]).toEqual(expected("native"));
    const own = blend.buffers() as Record<"A" | "B" | "C", Float32Array>;
    own.A.set(inputs()[0]);
    own.B.set(inputs()[1]);
    expect([...blend(own.A, own.B, own.C)]).toEqual(expected("native"));
    expect([blend.info.twin, blend.info.twinReason]).toEqual(["native", null]);
  });

  it.skipIf(noAddon)(
    `takes the same arrays again, and notices others, detached ones and a new job${skipped}`,
    async () => {
      const blend: AnyKernel = await loadModule(fakeKernel({ target: "avx2", native: nativeKernel() }));
      const [A, B] = inputs();
      const [C, D] = [new Float32Array(8), new Float32Array(8)];
      for (const _ of [1, 2, 3]) expect([...blend(A, B, C.fill(0))]).toEqual(expected("native"));
      B.fill(2);
      expect([...blend(A, B, C)]).toEqual(expected("native").map((it) => it + 2));
      B.fill(1);
      expect([...blend(A, B, D)]).toEqual(expected("native"));
      expect([...C]).toEqual(expected("native").map((it) => it + 2));
      await Promise.resolve();
      expect([...blend(A, B, D.fill(0))]).toEqual(expected("native"));
      await blend.async(A, B, C);
      expect([...blend(A, B, D.fill(0))]).toEqual(expected("native"));
      structuredClone(B, { transfer: [B.buffer] });
      expect(() => blend(A, B, D)).toThrow(/argument 2 \(B\) .* its buffer is detached/);
      expect([...blend(...inputs(), D.fill(0))]).toEqual(expected("native"));
    },
  );

  it.skipIf(noAddon)(`leaves it to the WASM twin where addons are forbidden${skipped}`, () => {
    const { result, twin, reason } = runInNode(fakeKernel({ native: nativeKernel() }), ["--no-addons"]);
    expect([result, twin]).toEqual([expected("wasm"), "wasm"]);
    expect(reason).toContain("the addon cannot be loaded: Cannot load native addon");
  });

  it.skipIf(noAddon)(`leaves it to the WASM twin where the CPU lacks a feature${skipped}`, async () => {
    const blend = await loadModule(fakeKernel({ native: nativeKernel(["sse2", "avx9000f", "not-yet"]) }));
    expect([...blend(...inputs())]).toEqual(expected("wasm"));
    expect(blend.info).toMatchObject({ twin: "wasm", twinReason: "the CPU lacks avx9000f, not-yet" });
  });

  it("says that there is none where the build could make none", async () => {
    const blend = await loadModule(fakeKernel({ target: "avx512", reason: "the build made no addon for avx512" }));
    expect(blend.info).toMatchObject({ twin: "wasm", twinReason: "the build made no addon for avx512" });
  });

  it.skipIf(noAddon)(`leaves it to the WASM twin on another platform${skipped}`, async () => {
    const blend = await loadModule(fakeKernel({ native: { ...nativeKernel(), platform: "win32-arm64" } }));
    expect([...blend(...inputs())]).toEqual(expected("wasm"));
    expect(blend.info.twinReason).toContain("the addon is built for win32-arm64, this is ");
  });

  it.skipIf(noAddon)(`without a twin says why it cannot answer${skipped}`, async () => {
    const blend = await loadModule(fakeKernel({ native: nativeKernel(["avx9000f"]), wasm: null }));
    expect(() => blend(...inputs())).toThrow("blend: the CPU lacks avx9000f; no twin was built (fallback=none)");
  });
});
