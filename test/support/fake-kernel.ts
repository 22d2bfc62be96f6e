// A hand-made kernel for tests of the plugin: C[i] = A[i] + 2 · B[i] over eight f32, as WASM, as loops, and (where there
// is a C compiler) as an addon. Each twin marks its results, so that a test can tell who answered.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import binaryen from "binaryen";
import type { JsSource, KernelParameter, WasmSource } from "../../src/compiler/index.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelTwin, NativeTwin } from "../../src/plugin/kernel/twin.ts";

/** Added to C[0] by each twin. */
export const marks = { wasm: 1000, "wasm-relaxed": 2000, native: 3000, reference: 4000 } as const;

const tensor = (name: string, role: "input" | "output"): KernelParameter => ({
  name,
  dtype: "f32",
  shape: [2, 4],
  length: 8,
  role,
});
export const tensors: readonly KernelParameter[] = [tensor("A", "input"), tensor("B", "input"), tensor("C", "output")];

/** Four lanes at a time; the relaxed twin multiplies and adds in one step. */
function wat(relaxed: boolean, mark: number): string {
  const [a, b] = ["(v128.load (i32.const A))", "(v128.load (i32.const B))"];
  const two = "(v128.const f32x4 2 2 2 2)";
  const value = relaxed ? `(f32x4.relaxed_madd ${b} ${two} ${a})` : `(f32x4.add ${a} (f32x4.mul ${b} ${two}))`;
  const half = (i: number): string =>
    `(v128.store (i32.const ${128 + 16 * i}) ${value})`
      .replace("const A", `const ${16 * i}`)
      .replace("const B", `const ${64 + 16 * i}`);
  const first = `(f32.store (i32.const 128) (f32.add (f32.load (i32.const 128)) (f32.const ${mark})))`;
  return `(module (memory (export "memory") 1) (func (export "run") ${half(0)} ${half(1)} ${first}))`;
}

export function wasmSource(relaxed = false, mark: number = marks[relaxed ? "wasm-relaxed" : "wasm"]): WasmSource {
  const module = binaryen.parseText(wat(relaxed, mark));
  module.setFeatures(binaryen.Features.SIMD128 | binaryen.Features.RelaxedSIMD);
  const bytes = new Uint8Array(module.emitBinary());
  module.dispose();
  return { kind: "wasm", name: "blend", parameters: tensors, bytes, offsets: [0, 64, 128], relaxed, sharing: null };
}

const addonText = `
#include <node_api.h>
static void compute(float *a, float *b, float *c) {
  for (int i = 0; i < 8; i++) c[i] = a[i] + 2 * b[i];
  c[0] += ${marks.native};
}
static napi_value call(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value argv[4];
  float *data[3];
  napi_get_cb_info(env, info, &count, argv, 0, 0);
  for (int i = 0; i < 3; i++) napi_get_typedarray_info(env, argv[i + 1], 0, 0, (void **)&data[i], 0, 0);
  compute(data[0], data[1], data[2]);
  return 0;
}
static float *last[3];
static napi_value slot_call(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value argv[3];
  napi_get_cb_info(env, info, &count, argv, 0, 0);
  for (int i = 0; i < 3; i++) napi_get_typedarray_info(env, argv[i], 0, 0, (void **)&last[i], 0, 0);
  compute(last[0], last[1], last[2]);
  return 0;
}
static napi_value slot_again(napi_env env, napi_callback_info info) {
  (void)env, (void)info;
  compute(last[0], last[1], last[2]);
  return 0;
}
static napi_value slot(napi_env env, napi_callback_info info) {
  napi_value object, f;
  (void)info;
  napi_create_object(env, &object);
  napi_create_function(env, "call", NAPI_AUTO_LENGTH, slot_call, 0, &f);
  napi_set_named_property(env, object, "call", f);
  napi_create_function(env, "again", NAPI_AUTO_LENGTH, slot_again, 0, &f);
  napi_set_named_property(env, object, "again", f);
  return object;
}
static napi_value call_async(napi_env env, napi_callback_info info) {
  napi_deferred deferred;
  napi_value promise, undefined;
  call(env, info);
  napi_create_promise(env, &deferred, &promise);
  napi_get_undefined(env, &undefined);
  napi_resolve_deferred(env, deferred, undefined);
  return promise;
}
NAPI_MODULE_INIT() {
  napi_value f;
  napi_create_function(env, "call", NAPI_AUTO_LENGTH, call, 0, &f);
  napi_set_named_property(env, exports, "call", f);
  napi_create_function(env, "slot", NAPI_AUTO_LENGTH, slot, 0, &f);
  napi_set_named_property(env, exports, "slot", f);
  napi_create_function(env, "callAsync", NAPI_AUTO_LENGTH, call_async, 0, &f);
  napi_set_named_property(env, exports, "callAsync", f);
  return exports;
}
`;

/** The package has no types. */
const { include_dir: nodeApiHeaders } = createRequire(import.meta.url)("node-api-headers") as { include_dir: string };

function findCompiler(): string | null {
  for (const command of ["gcc", "clang"]) {
    try {
      execFileSync(command, ["--version"], { stdio: "ignore" });
      return command;
    } catch {
      // Not installed: try the next.
    }
  }
  return null;
}
const compiler = findCompiler();

/** Null where an addon can be built and run; else why not, for the name of the skipped test. */
export const noAddon: string | null =
  process.platform !== "linux" ? "the addon of the test is for Linux" : compiler ? null : "no gcc or clang";

/** Builds the addon; `features` are what it claims to need. */
export function nativeKernel(features: readonly string[] = []): NativeTwin {
  const folder = mkdtempSync(join(tmpdir(), "fake-kernel-"));
  const path = join(folder, "blend.node");
  writeFileSync(join(folder, "blend.c"), addonText);
  execFileSync(compiler!, ["-shared", "-fPIC", "-O1", `-I${nodeApiHeaders}`, join(folder, "blend.c"), "-o", path]);
  const platform = `${process.platform}-${process.arch}`;
  return { kind: "native", bytes: readFileSync(path), path, index: 0, features, platform, split: null };
}

const referenceText = `for (let i = 0; i < 8; i++) arg2[i] = Math.fround(arg0[i] + Math.fround(2 * arg1[i]));
arg2[0] += ${marks.reference};`;

interface FakeParts extends Partial<Omit<CompiledKernel, "twins">> {
  readonly native?: NativeTwin | null;
  /** Default: a module; null: there is no WASM twin. */
  readonly wasm?: WasmSource | null;
  readonly relaxed?: WasmSource | null;
  /** Default: those of the mark. They are in the kernel only where it has no other twin. */
  readonly loops?: JsSource;
}

const fakeLoops: JsSource = { kind: "js", name: "blend", parameters: tensors, text: referenceText };

function fakeTwins({
  native = null,
  wasm = wasmSource(),
  relaxed = null,
  loops = fakeLoops,
}: FakeParts): readonly KernelTwin[] {
  const twins: KernelTwin[] = [];
  if (native) twins.push(native);
  if (wasm) twins.push({ kind: "wasm", modules: relaxed ? [relaxed, wasm] : [wasm], prepare: null });
  return twins.length > 0 ? twins : [{ kind: "loops", source: loops }];
}

/** Makes a kernel; default: with a WASM twin alone. */
export function fakeKernel({ native, wasm, relaxed, loops, ...facts }: FakeParts = {}): CompiledKernel {
  const twins = fakeTwins({
    ...(native !== undefined && { native }),
    ...(wasm !== undefined && { wasm }),
    ...(relaxed !== undefined && { relaxed }),
    ...(loops !== undefined && { loops }),
  });
  return {
    op: "blend",
    parameters: { M: 2, N: 4 },
    target: "wasm",
    numerics: "fast",
    tensors,
    constants: [],
    twins,
    reason: null,
    trace: "vectorize C.j\nunroll C.i",
    gflops: 12.5,
    key: "0123abcd",
    errorBound: 1e-6,
    watchFiles: [],
    origin: "lock",
    isForOtherCaches: false,
    measurements: 0,
    compilerRuns: 0,
    ...facts,
  };
}

/** A = 0 … 7, B = all ones, and what the twin of that name makes of them. */
export const inputs = (): [Float32Array, Float32Array] => [
  Float32Array.from({ length: 8 }, (_, i) => i),
  new Float32Array(8).fill(1),
];
export const expected = (twin: keyof typeof marks): number[] =>
  Array.from({ length: 8 }, (_, i) => i + 2 + (i === 0 ? marks[twin] : 0));
