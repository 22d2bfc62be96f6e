// Entrants of one kernel's bench: each twin alone, from a module as a build emits it; the plain loops; and peers, which
// are modules that the user names.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { DiagnosticError, type KernelParameter, newArray } from "../../compiler/index.ts";
import { emitModule } from "../../plugin/binding/module/module.ts";
import { placeAssets } from "../../plugin/binding/module/place.ts";
import { runtimeUrls } from "../../plugin/binding/runtime-files.ts";
import type { CompiledKernel } from "../../plugin/kernel/compiled-kernel.ts";
import type { KernelTwin } from "../../plugin/kernel/twin.ts";
import type { Twin } from "../../plugin/options/types.ts";
import { type Absent, type EmittedKernel, type Entrant, emittedEntrant, type NamedInputs } from "./entrant.ts";

/** @param folder of its own, in which the module and its files are written */
export async function emittedKernel(kernel: CompiledKernel, folder: string): Promise<EmittedKernel> {
  mkdirSync(folder, { recursive: true });
  const references = placeAssets(kernel, "node", null, ({ fileName, bytes }) => {
    writeFileSync(join(folder, fileName), bytes);
    return `new URL("./${fileName}", import.meta.url).href`;
  });
  const path = join(folder, "kernel.mjs");
  writeFileSync(path, emitModule(kernel, references, { files: runtimeUrls() }));
  return (await import(pathToFileURL(path).href)).default;
}

/** Returns the kernel with one of its implementations alone; null: it has no such implementation. */
export function alone(kernel: CompiledKernel, name: Exclude<Twin, "reference">): CompiledKernel | null {
  const twin = kernel.twins.map((it) => partOf(it, name)).find((it) => it !== null);
  return twin ? { ...kernel, twins: [twin] } : null;
}

/** Returns what a twin has of an implementation; null: nothing. */
function partOf(twin: KernelTwin, name: Twin): KernelTwin | null {
  switch (twin.kind) {
    case "native":
      return name === "native" ? twin : null;
    case "wasm":
      if (name === "wasm") return { ...twin, modules: [twin.modules.at(-1)!] };
      // With the plain one behind it, which answers where the engine has no relaxed SIMD.
      return name === "wasm-relaxed" && twin.modules[0].relaxed ? twin : null;
    case "foreign":
    case "webgpu":
    case "cuda":
    case "loops":
      return null;
  }
}

/** @param kernel with all its twins, or the loops alone */
export async function twinEntrant(
  kernel: CompiledKernel,
  twin: Twin,
  inputs: NamedInputs,
  folder: string,
): Promise<Entrant | Absent | null> {
  const part = twin === "reference" ? kernel : alone(kernel, twin);
  if (!part) return null;
  try {
    const emitted = await emittedKernel(part, folder);
    const { twin: found, twinReason } = emitted.info;
    if (found !== twin) return { name: twin, why: twinReason ?? `${found} answers` };
    return emittedEntrant(twin, emitted, part, inputs);
  } catch (error) {
    return { name: twin, why: messageOf(error) };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface Peer {
  readonly name: string;
  /** Function of the peer's module: takes a kernel and returns what to call with inputs, then outputs; nothing: it has none for that. */
  readonly open: (kernel: PeerRequest) => unknown;
}

export interface PeerRequest extends Pick<CompiledKernel, "op" | "parameters" | "target"> {
  readonly tensors: readonly KernelParameter[];
}

/**
 * @param file absolute; its default export takes a `PeerRequest`
 * @throws DiagnosticError `bench.bad-peer`
 */
export async function loadPeer(file: string): Promise<Peer> {
  const refuse = (why: string): DiagnosticError =>
    new DiagnosticError({
      code: "bench.bad-peer",
      message: `${file} is no peer: ${why}`,
      loc: null,
      hint: "export default ({ op, parameters, tensors }) => (...inputsThenOutputs) => { … }",
      detail: null,
    });
  const module = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw refuse(messageOf(error));
  });
  if (typeof module.default !== "function") throw refuse("it has no function as its default export");
  return { name: basename(file, extname(file)), open: module.default };
}

/** Opens a peer for a kernel; null: the peer has nothing for it. */
export async function peerEntrant(
  { name, open }: Peer,
  { op, parameters, target, tensors }: CompiledKernel,
  inputs: NamedInputs,
): Promise<Entrant | Absent | null> {
  try {
    const call = await open({ op, parameters, target, tensors });
    if (!call) return null;
    if (typeof call !== "function") return { name, why: "it gives something that cannot be called" };
    const arrays = tensors.map((tensor) => inputs.get(tensor.name)?.slice() ?? newArray(tensor.dtype, tensor.length));
    const outputs = arrays.filter((_, at) => tensors[at]!.role === "output");
    return { name, call: () => call(...arrays), outputs };
  } catch (error) {
    return { name, why: messageOf(error) };
  }
}
