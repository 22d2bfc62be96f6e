// The native twin of an emitted module: the check of the CPU, which comes before the addon is touched, and its calls.

import type { CompiledKernel, NativeKernel } from "../compiled-kernel.ts";
import { boundText } from "./bound.ts";
import { placed } from "./calls.ts";
import { packableNativeTwin } from "./packable-native.ts";

const support = String.raw`
  // An instruction that the CPU lacks kills the process, so what cannot be found out counts as lacking, and so does what
  // only some of the processors have. One list of names a processor.
  function cpuFeatures() {
    try {
      if (process.platform === "linux") {
        return [...builtin("node:fs").readFileSync("/proc/cpuinfo", "utf8").matchAll(/^(?:flags|Features)\s*:(.*)$/gm)].map(([, flags]) => flags);
      }
      if (process.platform === "darwin") {
        const query = ["-n", "machdep.cpu.features", "machdep.cpu.leaf7_features"];
        return [builtin("node:child_process").execFileSync("/usr/sbin/sysctl", query, { encoding: "utf8" })];
      }
    } catch {}
    return [];
  }
  // gcc says avx512vnni, Linux avx512_vnni, macOS AVX512VNNI.
  const plain = (feature) => feature.toLowerCase().replace(/[-_.]/g, "");
  function whyNotNative() {
    if (builtin("node:module") === undefined) return "an addon needs Node.js";
    const here = process.platform + "-" + process.arch;
    if (here !== native.platform) return "the addon is built for " + native.platform + ", this is " + here;
    if (native.features.length === 0) return null;
    const processors = [...new Set(cpuFeatures())].map((text) => new Set(text.trim().split(/\s+/).map(plain)));
    if (processors.length === 0) return "the features of the CPU cannot be read on " + process.platform;
    const missing = native.features.filter((feature) => !processors.every((present) => present.has(plain(feature))));
    return missing.length === 0 ? null : "the CPU lacks " + missing.join(", ");
  }
  // --no-addons, a missing file and another C library all end here, each with its reason in info.twinReason.
  function tryNative() {
    reason = whyNotNative();
    if (reason !== null) return null;
    try {
      const path = builtin("node:url").fileURLToPath(nativeUrl());
      return nativeTwin(builtin("node:module").createRequire(path)(path));
    } catch (error) {
      reason = "the addon cannot be loaded: " + error.message.split("\n")[0];
      return null;
    }
  }
`;

const alignedText = `
  // The memory of a WASM instance starts on a page, which nothing else in JavaScript promises; nobody can detach it.
  function alignedArrays(list) {
    let end = 0;
    const starts = list.map(({ array, length }) => {
      const start = end;
      end += Math.ceil((length * globalThis[array].BYTES_PER_ELEMENT) / 64) * 64;
      return start;
    });
    const { buffer } = new WebAssembly.Memory({ initial: Math.ceil(end / 65536) });
    return list.map(({ array, length }, i) => new globalThis[array](buffer, starts[i], length));
  }
`;

const plainTwin = (index: number, list: readonly string[]): string => `  function nativeTwin(addon) {
    const { call, again } = addon.slot(${index});
    ${boundText({ given: list })}
    let arrays = null;
    return {
      kind: "native",
      buffers: () => (arrays ??= alignedArrays(tensors)),
      run: bound,
      async async(inputs) {
        const outputs = tensors.slice(inputs.length).map(({ array, length }) => new globalThis[array](length));
        await addon.callAsync(native.index, ...inputs, ...outputs);
        return outputs;
      },
    };
  }
`;

/** Text that defines `tryNative()`; expects `tensors`, `reason`, `builtin` in scope. `url` is an expression. */
export function nativeText(native: NativeKernel, kernel: CompiledKernel, url: string): string {
  const { index, features, platform } = native;
  const facts = JSON.stringify({ index, features, platform });
  const twin =
    kernel.constants.length > 0
      ? packableNativeTwin(native, kernel)
      : plainTwin(
          index,
          placed(kernel.tensors).map(({ at }) => `a${at}`),
        );
  return `  const native = ${facts};\n  const nativeUrl = () => ${url};\n${alignedText}${twin}${support}`;
}
