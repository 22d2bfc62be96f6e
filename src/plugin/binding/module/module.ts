// A compiled kernel and the places of its binaries → the JavaScript module that an import gets. Stage 12.
//
// The text is data and one pure call of the runtime, so that an unused import leaves nothing behind, and the code that all kernels need is in
// the program once. Loading waits for the first call.

import type { CompiledKernel } from "../../kernel/compiled-kernel.ts";
import type { AssetReferences } from "../asset.ts";
import { objectText } from "../literal.ts";
import type { RuntimeFiles } from "../runtime-files.ts";
import { factsOf } from "./facts-of.ts";
import type { WrittenVariant } from "./variants.ts";

export interface ModuleOptions {
  /** Files of the runtime that the module imports. */
  readonly files: RuntimeFiles;
  /** Whether the module is for a dev server, which replaces modules while they run. */
  readonly isHot?: boolean | undefined;
  /** Page that has a browser measure the kernel, opened where the module is hot; default: none. */
  readonly measurePage?: string | null | undefined;
  /** Whether `info.schedule` has the text of the schedule, and `info.cacheKey` the key of the store; default: no. */
  readonly hasSchedule?: boolean | undefined;
  /** Whether code that is text, WGSL, is as its generator prints it, for those who look at it; default: where `info.schedule` is. */
  readonly isReadable?: boolean | undefined;
  /** Whether the module is CommonJS, for `require`; default: no. */
  readonly isCommonJs?: boolean | undefined;
}

const workerText = "kernelWorker";

/** Import of a file, or `require` in CommonJS. @param what bindings of exports, as an `import` writes them: "a, b as c" */
const importText = (what: string, from: string, isCommonJs: boolean): string =>
  isCommonJs
    ? `const { ${what.replaceAll(" as ", ": ")} } = require(${JSON.stringify(from)});\n`
    : `import { ${what} } from ${JSON.stringify(from)};\n`;

/** Code of the export; what TypeScript and esbuild make of an `import` looks for `__esModule`. */
const exportText = (created: string, isCommonJs: boolean): string =>
  isCommonJs
    ? `Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = ${created};\n`
    : `export default /* @__PURE__ */ ${created};\n`;

/** Code that replaces a module while it runs. The dev server looks for these very words. */
const hotText = (created: string, measurePage: string | null): string => `const newest = ${created};
const kernel = import.meta.hot ? hotKernel(newest, import.meta.hot.data) : newest;
export default kernel;
if (import.meta.hot) {
  import.meta.hot.accept((update) => {
    if (update && update.default !== kernel) import.meta.hot.invalidate();
  });
${measurePage === null ? "" : `  measureHere(${JSON.stringify(measurePage)});\n`}}
`;

/** Code for facts that depend on the engine, which is asked when the module is loaded. An import that is not used leaves none of it. */
const forEngineText = (facts: string, variants: readonly WrittenVariant[]): string =>
  `/* @__PURE__ */ forEngine(${facts}, ${objectText(Object.fromEntries(variants.map((it) => [it.engine, it.facts])))})`;

/**
 * The text of the module. It has one export, the kernel of product.md §2.
 *
 * @param references where the emitted module finds each binary; null for those that the platform has no use for
 */
export function emitModule(
  kernel: CompiledKernel,
  references: AssetReferences,
  {
    files,
    isHot = false,
    measurePage = null,
    hasSchedule = false,
    isReadable = hasSchedule,
    isCommonJs = false,
  }: ModuleOptions,
): string {
  const { op, target, parameters } = kernel;
  const {
    facts,
    variants,
    implementations,
    beside,
    imports: own,
  } = factsOf(kernel, { references, workerText, hasSchedule, isReadable });
  const sizes = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
  const isForEngines = variants.length > 0;
  const create = beside?.create ?? "createKernel";
  const ofHot = isHot ? ["hotKernel", ...(measurePage === null ? [] : ["measureHere"])] : [];
  const names = [...implementations, ...(isForEngines ? ["forEngine"] : []), ...ofHot];
  const ofRuntime: readonly (readonly [string, readonly string[]])[] =
    beside?.from === undefined
      ? [[files.runtime, [create, ...names]]]
      : [
          [files[beside.from], [create]],
          [files.runtime, names],
        ];
  const imports = [
    ...ofRuntime.map(([from, all]) => [all.join(", "), from] as const),
    ...(references.worker?.text ? [[`default as ${workerText}`, files.workerText] as const] : []),
    ...own.map(({ name, from }) => [`open as ${name}`, from] as const),
  ].filter(([what]) => what !== "");
  const text = isForEngines ? forEngineText(objectText(facts), variants) : objectText(facts);
  const gpu = beside?.gpu === undefined ? [] : [beside.gpu ? objectText(beside.gpu) : "null"];
  const created = `${create}(${[text, ...gpu, ...implementations].join(", ")})`;
  return `// ${[op, target, ...sizes].join(" ")}: emitted by unplugin-kernel
${imports.map(([what, from]) => importText(what, from, isCommonJs)).join("")}
${isHot ? hotText(created, measurePage) : exportText(created, isCommonJs)}`;
}
