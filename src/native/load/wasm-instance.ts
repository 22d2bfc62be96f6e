// A WASM module of ours → an instance: on a memory of its own, or on one that threads share.

import type { WasmSharing, WasmSource } from "../../compiler/index.ts";
import { threadRole, wasmThreadsText } from "./wasm-threads.ts";
import { newWorkerText, workerScript } from "./worker-script.ts";

/** A memory whose arrays the caller fills and reads: it is shared where threads see it, which no type of ours tells. */
interface MemoryView {
  readonly buffer: ArrayBuffer;
}

export interface WasmInstance {
  readonly memory: MemoryView;
  run(): void;
  /** Whether all threads that there are know of it: a call before that has less help. */
  readonly isReady: () => boolean;
}

type OpenShared = (module: WebAssembly.Module, sharing: WasmSharing) => WasmInstance;

let openShared: OpenShared | null = null;
const sharedOpener = (): OpenShared => (openShared ??= makeOpener());

function makeOpener(): OpenShared {
  const text = `const workerUrl = null;${newWorkerText}${wasmThreadsText}return openShared;`;
  return new Function("workerText", text)(workerScript({ thread: threadRole })) as OpenShared;
}

/**
 * Compiles and instantiates on the calling thread. Throws what the engine throws at a module that it refuses (CompileError,
 * LinkError), and a TypeError for missing exports.
 */
export function openWasm({ bytes, sharing }: Pick<WasmSource, "bytes" | "sharing">): WasmInstance {
  const module = new WebAssembly.Module(bytes);
  if (sharing) return sharedOpener()(module, sharing);
  const { memory, run } = new WebAssembly.Instance(module, {}).exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof run !== "function")
    throw new TypeError("the module does not export memory and run()");
  return { memory: memory as MemoryView, run: run as () => void, isReady: () => true };
}
