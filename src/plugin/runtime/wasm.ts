// The WASM modules of a kernel: which one the engine can run, and its instances, here and in workers.

import { asShareable, canShare } from "../../native/load/wasm-threads.ts";
import { builtin, startWorker } from "../../native/process/start-worker.ts";
import type { ModuleBytes } from "./facts.ts";
import type { Implementation, Loader, ModuleContext, Way } from "./implementation.ts";
import { moduleOf } from "./module-text.ts";
import { type KernelParts, type OpenModule, openAlone } from "./open-kernel.ts";
import { openOnThreads } from "./open-on-threads.ts";
import { openWasm, type Parts, partsOf } from "./wasm-instance.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const inCode = ({ text }: ModuleBytes): boolean => text !== undefined;

function bytesNow(source: ModuleBytes, name: string): Bytes {
  if (source.text !== undefined) return moduleOf(source.text);
  const fs = builtin("node:fs");
  if (fs) return new Uint8Array(fs.readFileSync(builtin("node:url")!.fileURLToPath(source.url!())));
  throw new Error(`${name} is not loaded yet: await its ready() before the first call, or import it with &sync`);
}

async function bytesSoon(source: ModuleBytes, name: string): Promise<Bytes> {
  if (inCode(source) || builtin("node:fs")) return bytesNow(source, name);
  const response = await fetch(source.url!());
  if (!response.ok) throw new Error(`${name}: ${response.status} for ${response.url}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Parts that differ where threads share loops of a kernel, or of the preparation of its constants. */
interface Threading {
  readonly openModule: OpenModule;
  /** The bytes of a module as they fit here. */
  fitting(bytes: Bytes, source: ModuleBytes): Bytes;
}

const oneThread = (): string =>
  globalThis.crossOriginIsolated
    ? "one thread: the engine has no SharedArrayBuffer"
    : "one thread: there is no SharedArrayBuffer, which a page has if it is cross-origin isolated";

/** A kernel of one thread. */
export const wasm: Way = (context) => load(context, { openModule: openAlone, fitting: (bytes) => bytes });

/** A kernel whose loops threads share, where the realm has memory to share. */
export const wasmOnThreads: Way = (context) => {
  const { worker } = context.facts.wasm!;
  if (!canShare()) context.explain(oneThread());
  return load(context, {
    openModule: openOnThreads((role, listener) => startWorker(worker, role, listener)),
    fitting: (bytes, { flagAt }) => (flagAt === undefined ? bytes : asShareable(bytes, flagAt)),
  });
};

function load(context: ModuleContext, { openModule, fitting }: Threading): Loader {
  const { op: name } = context.facts;
  const { modules, prepare, worker, ...facts } = context.facts.wasm!;
  let preparation: KernelParts["prepare"] | undefined;
  const preparing = (): KernelParts["prepare"] => {
    if (!prepare) return null;
    const { layout, sharing, taken } = prepare;
    const module = new WebAssembly.Module(fitting(bytesNow(prepare, name), prepare));
    return { module, layout, sharing, taken };
  };
  const implementation = (kind: "wasm" | "wasm-relaxed", module: WebAssembly.Module): Implementation => ({
    kind,
    open() {
      preparation ??= preparing();
      const parts: Parts = partsOf(context, { ...facts, module }, preparation);
      return openWasm(context, parts, worker, openModule);
    },
  });
  // The last module is the one that must work: if the engine refuses it, its own error says why.
  const isUsable = (at: number, bytes: BufferSource): boolean => {
    if (at === modules.length - 1 || WebAssembly.validate(bytes)) return true;
    context.explain("the engine has no relaxed SIMD");
    return false;
  };
  return {
    now() {
      for (const [at, source] of modules.entries()) {
        const bytes = fitting(bytesNow(source, name), source);
        if (isUsable(at, bytes)) return implementation(source.kind, new WebAssembly.Module(bytes));
      }
      return null;
    },
    async soon() {
      for (const [at, source] of modules.entries()) {
        const bytes = fitting(await bytesSoon(source, name), source);
        if (isUsable(at, bytes)) return implementation(source.kind, await WebAssembly.compile(bytes));
      }
      return null;
    },
    mustWait: () => !modules.every(inCode) && builtin("node:fs") === undefined,
  };
}
