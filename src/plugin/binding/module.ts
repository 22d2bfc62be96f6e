// A compiled kernel and the places of its binaries → the JavaScript module that an import gets. Stage 12.
//
// The text is self-contained, needs no flags of the bundler and stands in one pure call, so that an import nobody uses
// leaves nothing behind. Loading waits for the first call.

import type { KernelParameter } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import type { AssetReferences } from "./asset.ts";
import { copiesOf, listOf, placed, preludeText, resultText, takeResults } from "./calls.ts";
import { checksText } from "./checks.ts";
import { hotText } from "./hot.ts";
import { infoText, tensorsText } from "./info.ts";
import { packableText } from "./packable.ts";
import { twinsText } from "./twins.ts";

function callsText(tensors: readonly KernelParameter[]): string {
  const all = placed(tensors);
  return `  function kernel(${listOf(all)}) {
    ${preludeText(all)}
    check(${listOf(all)});
    (twin ?? load()).run(${listOf(all)});
    return ${resultText(all)};
  }
  // Works on copies: the caller's arrays may be moved or changed meanwhile without harm.
  async function kernelAsync(${listOf(all)}) {
    ${preludeText(all)}
    check(${listOf(all)});
    const inputs = [${copiesOf(all)}];
    await ready();
    const results = await twin.async(inputs);
    ${takeResults(all)}
    return ${resultText(all)};
  }
`;
}

const loading = `  const load = () => (twin ??= tryNative() ?? loadWasm());
  const ready = async () => void (twin ??= tryNative() ?? (await loadWasmSoon()));
  // What answers, if that can be said at once: in a browser a module may not have arrived yet.
  const peek = () => (twin === null && mustWait() ? null : load());
`;

const assembly = (isPackable: boolean): string => `  const buffers = () => {
    const arrays = ${isPackable ? "instance()" : "load()"}.buffers();
    return Object.fromEntries(tensors.map((tensor, i) => [tensor.name, arrays[i]]));
  };
  return Object.assign(kernel, { async: kernelAsync, buffers, ${isPackable ? "pack, " : ""}ready, info });
`;

const waitsText = ({ wasm }: AssetReferences): string =>
  wasm?.kind === "url" ? `builtin("node:fs") === undefined` : "false";

/** Why the best twin is not even in the module; null if it is. */
function initialReason(kernel: CompiledKernel, { native }: AssetReferences): string {
  if (kernel.native) return native ? "null" : `"an addon needs Node.js"`;
  // For lack of a compiler, or as the tuned kernel is still to come: the build's log says so.
  const isMissing = kernel.wasm !== null && kernel.target !== "wasm";
  return isMissing ? JSON.stringify(`the build made no addon for ${kernel.target}`) : "null";
}

/**
 * The text of the module. It has one export, the kernel of product.md §2.
 *
 * @param references where the emitted module finds each binary; null for those that the platform has no use for
 * @param isHot for a dev server, which replaces modules while they run
 */
export function emitModule(kernel: CompiledKernel, references: AssetReferences, isHot = false): string {
  const { op, target, parameters, tensors } = kernel;
  const isPackable = kernel.constants.length > 0;
  const sizes = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
  return `// ${[op, target, ...sizes].join(" ")}: emitted by unplugin-kernel
${isHot ? hotText : "export default /* @__PURE__ */ createKernel();\n"}
function createKernel() {
  const name = ${JSON.stringify(op)};
${tensorsText(kernel)}  const builtin = (id) => globalThis.process?.getBuiltinModule?.(id);
  const mustWait = () => ${waitsText(references)};
  let twin = null;
  let reason = ${initialReason(kernel, references)};
${checksText(tensors)}
${twinsText(kernel, references)}
${loading}${isPackable ? packableText(kernel) : callsText(tensors)}
${infoText(kernel)}
${assembly(isPackable)}}
`;
}
