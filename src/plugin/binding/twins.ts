// How an emitted module picks its twin and loads it: the addon, else relaxed WASM, else plain WASM, else the loops.

import { invariant, type WasmSource } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import type { AssetReference, AssetReferences, WorkerReference } from "./asset.ts";
import { nativeText } from "./native.ts";
import { packableWasmText } from "./packable-wasm.ts";
import { referenceText } from "./reference.ts";
import { wasmText } from "./wasm.ts";

/** Text that defines `loadWasm` and `loadWasmSoon`; expects `modules` and `wasmTwin`, and `asShareable` where threads share loops. */
const supportText = (isShared: boolean): string => `
  const bytesNow = ({ text, url }) => {
    if (text !== undefined) return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const fs = builtin("node:fs");
    if (fs === undefined) throw new Error(name + " is not loaded yet: await its ready() before the first call, or import it with &sync");
    return fs.readFileSync(builtin("node:url").fileURLToPath(url()));
  };
  const bytesSoon = async (source) => {
    if (source.text !== undefined || builtin("node:fs") !== undefined) return bytesNow(source);
    const response = await fetch(source.url());
    if (!response.ok) throw new Error(name + ": " + response.status + " for " + response.url);
    return new Uint8Array(await response.arrayBuffer());
  };
  const explain = (text) => void (reason = reason === null ? text : reason + "; " + text);
${isShared ? sharingText : ""}\
  // The last module is the one that must work: if the engine refuses it, its own error says why.
  const usable = (i, bytes) => {
    if (i === modules.length - 1 || WebAssembly.validate(bytes)) return true;
    explain("the engine has no relaxed SIMD");
    return false;
  };
  function loadWasm() {
    for (const [i, { kind, source${isShared ? ", flagAt" : ""} }] of modules.entries()) {
      const bytes = ${fitting("bytesNow(source)", isShared)};
      if (usable(i, bytes)) return wasmTwin(kind, new WebAssembly.Module(bytes));
    }
  }
  async function loadWasmSoon() {
    for (const [i, { kind, source${isShared ? ", flagAt" : ""} }] of modules.entries()) {
      const bytes = ${fitting("await bytesSoon(source)", isShared)};
      if (usable(i, bytes)) return wasmTwin(kind, await WebAssembly.compile(bytes));
    }
  }
`;

const sharingText = `  if (!canShare) explain("one thread: there is no SharedArrayBuffer, which a page has if it is cross-origin isolated");
`;

const fitting = (bytes: string, isShared: boolean): string => (isShared ? `asShareable(${bytes}, flagAt)` : bytes);

const noWasm = `  const loadWasm = () => {
    throw new Error(name + ": " + reason + "; no twin was built (fallback=none)");
  };
  const loadWasmSoon = async () => loadWasm();
`;

function sourceText(reference: AssetReference): string {
  switch (reference.kind) {
    case "inline":
      return `{ text: "${Buffer.from(reference.bytes).toString("base64")}" }`;
    case "url":
      return `{ url: () => ${reference.expression} }`;
  }
}

function moduleText(source: WasmSource | null, reference: AssetReference | null): string {
  if (!source || !reference) return "";
  const kind = source.relaxed ? "wasm-relaxed" : "wasm";
  const flag = source.sharing ? ` flagAt: ${source.sharing.flagAt},` : "";
  return `    { kind: "${kind}",${flag} source: ${sourceText(reference)} },\n`;
}

const workerPart = ({ text, url }: WorkerReference): string =>
  `  const workerText = ${JSON.stringify(text)}, workerUrl = ${url === null ? "null" : `() => ${url}`};\n`;

function wasmPart(kernel: CompiledKernel, references: AssetReferences): string {
  const { wasm, relaxed } = kernel;
  if (!wasm) return noWasm;
  const modules = moduleText(relaxed, references.relaxed) + moduleText(wasm, references.wasm);
  const twin = kernel.constants.length > 0 ? packableWasmText(wasm, kernel) : wasmText(wasm);
  const worker = workerPart(references.worker ?? { text: null, url: null });
  return `${worker}${twin}  const modules = [\n${modules}  ];\n${supportText(wasm.sharing !== null)}`;
}

function nativePart(kernel: CompiledKernel, reference: AssetReference | null): string {
  const { native } = kernel;
  if (native && reference?.kind === "url") return nativeText(native, kernel, reference.expression);
  return "  const tryNative = () => null;\n";
}

/** Text that defines `tryNative`, `loadWasm`, `loadWasmSoon`; expects `name`, `tensors`, `reason`, `builtin` in scope. */
export function twinsText(kernel: CompiledKernel, references: AssetReferences): string {
  if (kernel.wasm || kernel.native) return wasmPart(kernel, references) + nativePart(kernel, references.native);
  invariant(kernel.reference, `${kernel.op} has no implementation at all`);
  return referenceText(kernel.reference, kernel);
}
