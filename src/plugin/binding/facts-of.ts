// A compiled kernel and the places of its binaries → what the emitted module says of it, for the runtime.

import { invariant, type WasmSource } from "../../compiler/index.ts";
import type { CompiledKernel, NativeKernel } from "../kernel/compiled-kernel.ts";
import type { KernelFacts, ModuleBytes, NativeFacts, WasmFacts } from "../runtime/facts.ts";
import { type AssetReference, type AssetReferences, sharesLoops, type WorkerReference } from "./asset.ts";
import { Expression, type Written } from "./literal.ts";
import { layoutOf, resultsOf, sourcesOf, takenBy } from "./parameters.ts";

const later = (expression: string): Expression => new Expression(`() => ${expression}`);

const bytesOf = (reference: AssetReference): Written<Pick<ModuleBytes, "text" | "url">> =>
  reference.kind === "inline"
    ? { text: Buffer.from(reference.bytes).toString("base64") }
    : { url: later(reference.expression) };

function moduleOf(
  source: WasmSource | null,
  reference: AssetReference | null,
): readonly Written<WasmFacts["modules"][number]>[] {
  if (!source || !reference) return [];
  return [{ kind: source.relaxed ? "wasm-relaxed" : "wasm", flagAt: source.sharing?.flagAt, ...bytesOf(reference) }];
}

/** Facts of a preparation, which is small: its bytes are part of the code. */
const prepareOf = (prepare: WasmSource, kernel: CompiledKernel): Written<WasmFacts["prepare"]> => ({
  flagAt: prepare.sharing?.flagAt,
  layout: layoutOf(prepare),
  sharing: prepare.sharing ?? undefined,
  taken: takenBy(prepare.parameters, kernel),
  ...bytesOf({ kind: "inline", bytes: prepare.bytes }),
});

const workerOf = ({ text, url }: WorkerReference, workerText: string): Written<WasmFacts["worker"]> => ({
  text: text ? new Expression(workerText) : undefined,
  url: url === null ? undefined : later(url),
});

function wasmOf(
  wasm: WasmSource,
  kernel: CompiledKernel,
  references: AssetReferences,
  workerText: string,
): Written<WasmFacts> {
  const { relaxed, prepare } = kernel;
  return {
    layout: layoutOf(wasm),
    sharing: wasm.sharing ?? undefined,
    sources: sourcesOf(wasm.parameters, kernel),
    worker: workerOf(references.worker ?? { text: false, url: null }, workerText),
    prepare: prepare ? prepareOf(prepare, kernel) : undefined,
    modules: [...moduleOf(relaxed, references.relaxed), ...moduleOf(wasm, references.wasm)],
  };
}

function nativeOf(
  { index, features, platform, split }: NativeKernel,
  kernel: CompiledKernel,
  url: string,
): Written<NativeFacts> {
  return {
    url: later(url),
    ...{ index, features, platform },
    sources: sourcesOf(split?.run ?? kernel.tensors, kernel),
    prepare: split ? { taken: takenBy(split.prepare, kernel), results: resultsOf(split.prepare) } : undefined,
  };
}

/** Why the best implementation is not even in the module; null if it is. */
function reasonOf(kernel: CompiledKernel, { native }: AssetReferences): string | null {
  if (kernel.native) return native ? null : "an addon needs Node.js";
  // There was no compiler, or the tuned kernel is still to come: the build's log says which.
  const isMissing = kernel.wasm !== null && kernel.target !== "wasm";
  return isMissing ? `the build made no addon for ${kernel.target}` : null;
}

function loopsOf({ reference, tensors, op }: CompiledKernel): Expression {
  invariant(reference, `${op} has no implementation at all`);
  return new Expression(`(${tensors.map((_, at) => `arg${at}`).join(", ")}) => {\n${reference.text}\n}`);
}

/** An implementation in the module, by its name in the runtime. */
export type ImplementationName = "native" | "wasm" | "wasmOnThreads" | "loops";

/** Facts for the runtime, as text, and the implementations that they describe, best first. */
export interface WrittenFacts {
  readonly facts: Written<KernelFacts>;
  readonly implementations: readonly ImplementationName[];
}

export interface FactsOptions {
  readonly references: AssetReferences;
  /** Name by which the module has imported the script of workers. */
  readonly workerText: string;
  /** Whether `info.schedule` has the text, and `info.cacheKey` the key. */
  readonly hasSchedule: boolean;
}

export function factsOf(kernel: CompiledKernel, { references, workerText, hasSchedule }: FactsOptions): WrittenFacts {
  const { op, parameters, target, numerics, trace, gflops, key, errorBound, constants, wasm } = kernel;
  const native = kernel.native && references.native?.kind === "url" ? references.native.expression : null;
  const facts = {
    native: native === null ? undefined : nativeOf(kernel.native!, kernel, native),
    wasm: wasm ? wasmOf(wasm, kernel, references, workerText) : undefined,
    loops: wasm || kernel.native ? undefined : loopsOf(kernel),
  };
  const names = { native: "native", wasm: sharesLoops(kernel) ? "wasmOnThreads" : "wasm", loops: "loops" } as const;
  const present = (["native", "wasm", "loops"] as const).filter((name) => facts[name] !== undefined);
  return {
    facts: {
      ...{ op, parameters, target, numerics, gflops, errorBound },
      cacheKey: hasSchedule ? key : null,
      schedule: hasSchedule ? trace : null,
      tensors: kernel.tensors.map(({ name, dtype, shape, role }) => ({ name, dtype, shape, role })),
      constants,
      reason: reasonOf(kernel, references),
      ...facts,
    },
    implementations: present.map((name) => names[name]),
  };
}
