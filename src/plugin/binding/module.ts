// A compiled kernel and the places of its binaries → the JavaScript module that an import gets. Stage 12.
//
// The text is self-contained, needs no flags of the bundler and stands in one pure call, so that an import nobody uses
// leaves nothing behind. Loading waits for the first call.

import { arrayTypes, type KernelParameter } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import type { AssetReferences } from "./asset.ts";
import { checksText } from "./checks.ts";
import { infoText, tensorsText } from "./info.ts";
import { twinsText } from "./twins.ts";

const indicesOf = (tensors: readonly KernelParameter[], role: "input" | "output"): readonly number[] =>
  tensors.flatMap((tensor, i) => (tensor.role === role ? [i] : []));

/** `a2`, or `{ "mean": a2, "variance": a3 }`. */
function resultText(tensors: readonly KernelParameter[]): string {
  const outputs = indicesOf(tensors, "output");
  if (outputs.length === 1) return `a${outputs[0]}`;
  return `{ ${outputs.map((i) => `${JSON.stringify(tensors[i]!.name)}: a${i}`).join(", ")} }`;
}

/** Checks the number of arguments and makes the outputs that were not given: the start of both kinds of call. */
function preludeText(tensors: readonly KernelParameter[]): string {
  const inputs = indicesOf(tensors, "input").length;
  const made = indicesOf(tensors, "output").map((i) => {
    const { dtype, length } = tensors[i]!;
    return `a${i} = new ${arrayTypes[dtype].name}(${length});`;
  });
  return `if (arguments.length === ${inputs}) {
      ${made.join("\n      ")}
    } else if (arguments.length !== ${tensors.length}) refuseCount(arguments.length);`;
}

function callsText(tensors: readonly KernelParameter[]): string {
  const all = tensors.map((_, i) => `a${i}`).join(", ");
  const inputs = indicesOf(tensors, "input").map((i) => `a${i}.slice()`);
  const outputs = indicesOf(tensors, "output").map((i, position) => `a${i}.set(results[${position}]);`);
  return `  function kernel(${all}) {
    ${preludeText(tensors)}
    check(${all});
    (twin ?? load()).run(${all});
    return ${resultText(tensors)};
  }
  // Works on copies: the caller's arrays may be moved or changed meanwhile without harm.
  async function kernelAsync(${all}) {
    ${preludeText(tensors)}
    check(${all});
    const inputs = [${inputs.join(", ")}];
    await ready();
    const results = await twin.async(inputs);
    ${outputs.join(" ")}
    return ${resultText(tensors)};
  }
`;
}

const loading = `  const load = () => (twin ??= tryNative() ?? loadWasm());
  const ready = async () => void (twin ??= tryNative() ?? (await loadWasmSoon()));
  // What answers, if that can be said at once: in a browser a module may not have arrived yet.
  const peek = () => (twin === null && mustWait() ? null : load());
`;

const assembly = `  const buffers = () => {
    const arrays = load().buffers();
    return Object.fromEntries(tensors.map((tensor, i) => [tensor.name, arrays[i]]));
  };
  return Object.assign(kernel, { async: kernelAsync, buffers, ready, info });
`;

const waitsText = ({ wasm }: AssetReferences): string =>
  wasm?.kind === "url" ? `builtin("node:fs") === undefined` : "false";

/** Why the best twin is not even in the module; null if it is. */
const initialReason = (kernel: CompiledKernel, { native }: AssetReferences): string =>
  kernel.native && !native ? `"an addon needs Node.js"` : "null";

/**
 * The text of the module. It has one export, the kernel of product.md §2.
 *
 * @param references where the emitted module finds each binary; null for those that the platform has no use for
 */
export function emitModule(kernel: CompiledKernel, references: AssetReferences): string {
  const { op, target, parameters, tensors } = kernel;
  const sizes = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
  return `// ${[op, target, ...sizes].join(" ")}: emitted by unplugin-kernel
export default /* @__PURE__ */ createKernel();

function createKernel() {
  const name = ${JSON.stringify(op)};
${tensorsText(kernel)}  const builtin = (id) => globalThis.process?.getBuiltinModule?.(id);
  const mustWait = () => ${waitsText(references)};
  let twin = null;
  let reason = ${initialReason(kernel, references)};
${checksText(tensors)}
${twinsText(kernel, references)}
${loading}${callsText(tensors)}
${infoText(kernel)}
${assembly}}
`;
}
