// WASM modules in a module: in its code or files of their own, with the script of the workers that share their loops.

import type { WasmSource } from "../../../compiler/index.ts";
import type { WasmTwin } from "../../kernel/twin.ts";
import type { ModuleBytes, WasmFacts } from "../../runtime/facts.ts";
import { moduleText } from "../../runtime/module-text.ts";
import { type AssetReference, asset, sharesLoops, type WorkerReference } from "../asset.ts";
import { Expression, later, type Written } from "../literal.ts";
import { type KernelSignature, layoutOf, sourcesOf, takenBy } from "../parameters.ts";
import type { TwinBinding } from "./twin-binding.ts";

const roleOf = ({ relaxed }: WasmSource): "relaxed" | "wasm" => (relaxed ? "relaxed" : "wasm");

export const wasmBinding: TwinBinding<WasmTwin> = {
  runsInBrowsers: true,
  assets: ({ modules }, op) => modules.map((module) => asset(op, roleOf(module), module.bytes)),
  write(twin, { signature, references, workerText }) {
    const { modules, prepare } = twin;
    const written = modules.flatMap((module) => moduleOf(module, references[roleOf(module)]));
    const plain = modules.at(-1)!;
    return {
      kind: "written",
      implementation: sharesLoops(twin) ? "wasmOnThreads" : "wasm",
      facts: {
        wasm: {
          layout: layoutOf(plain),
          sharing: plain.sharing ?? undefined,
          sources: sourcesOf(plain.parameters, signature),
          worker: workerOf(references.worker ?? { text: false, url: null }, workerText),
          prepare: prepare ? prepareOf(prepare, signature) : undefined,
          modules: written,
        },
      },
    };
  },
};

const bytesOf = (reference: AssetReference): Written<Pick<ModuleBytes, "text" | "url">> =>
  reference.kind === "inline" ? { text: moduleText(reference.bytes) } : { url: later(reference.expression) };

const moduleOf = (
  source: WasmSource,
  reference: AssetReference | null,
): readonly Written<WasmFacts["modules"][number]>[] =>
  reference
    ? [{ kind: source.relaxed ? "wasm-relaxed" : "wasm", flagAt: source.sharing?.flagAt, ...bytesOf(reference) }]
    : [];

/** Facts of a preparation, which is small: its bytes are part of the code. */
const prepareOf = (prepare: WasmSource, signature: KernelSignature): Written<WasmFacts["prepare"]> => ({
  flagAt: prepare.sharing?.flagAt,
  layout: layoutOf(prepare),
  sharing: prepare.sharing ?? undefined,
  taken: takenBy(prepare.parameters, signature),
  ...bytesOf({ kind: "inline", bytes: prepare.bytes }),
});

const workerOf = ({ text, url }: WorkerReference, workerText: string): Written<WasmFacts["worker"]> => ({
  text: text ? new Expression(workerText) : undefined,
  url: url === null ? undefined : later(url),
});
