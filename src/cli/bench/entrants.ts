// Who takes part in a bench of one kernel: each twin alone as a program would call it, from a module as a build emits it; the plain loops;
// and peers, which are modules of the user's.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { DiagnosticError, type KernelParameter, newArray, type TypedArray } from "../../compiler/index.ts";
import { emitModule } from "../../plugin/binding/module.ts";
import type { CompiledKernel } from "../../plugin/compiled-kernel.ts";
import { placeAssets } from "../../plugin/emit/place.ts";
import type { Kernel, Packable, PackedKernel, Twin } from "../../plugin/types.ts";
import type { Call } from "./rounds.ts";

/** What can be called and checked. */
export interface Entrant {
  readonly name: string;
  readonly call: Call;
  /** Where results are put, in order. */
  readonly outputs: readonly TypedArray[];
}

/** Somebody who cannot take part here. */
export interface Absent {
  readonly name: string;
  readonly why: string;
}

type EmittedKernel = Kernel & Partial<Packable<Record<string, TypedArray>, PackedKernel>>;

/** Inputs by name. */
export type Inputs = ReadonlyMap<string, TypedArray>;

/** @param folder of its own, in which the module and its files are written */
export async function emittedKernel(kernel: CompiledKernel, folder: string): Promise<EmittedKernel> {
  mkdirSync(folder, { recursive: true });
  const references = placeAssets(kernel, "node", null, ({ fileName, bytes }) => {
    writeFileSync(join(folder, fileName), bytes);
    return `new URL("./${fileName}", import.meta.url).href`;
  });
  const path = join(folder, "kernel.mjs");
  writeFileSync(path, emitModule(kernel, references));
  return (await import(pathToFileURL(path).href)).default;
}

/** The kernel with one of its implementations alone; null: it has none such. */
function alone(kernel: CompiledKernel, twin: Exclude<Twin, "reference">): CompiledKernel | null {
  const { native, relaxed, wasm } = kernel;
  switch (twin) {
    case "native":
      return native && { ...kernel, wasm: null, relaxed: null };
    case "wasm-relaxed":
      return relaxed && { ...kernel, native: null };
    case "wasm":
      return wasm && { ...kernel, native: null, relaxed: null };
  }
}

/** With the arrays where the kernel has them, and constants packed: nothing is copied in a call. */
function entrantOf(
  name: string,
  kernel: EmittedKernel,
  { tensors, constants }: CompiledKernel,
  inputs: Inputs,
): Entrant {
  const isConstant = (tensor: KernelParameter): boolean => constants.includes(tensor.name);
  const packed = Object.fromEntries(constants.map((constant) => [constant, inputs.get(constant)!]));
  const callable = kernel.pack ? kernel.pack(packed) : kernel;
  const taken = kernel.pack ? tensors.filter((tensor) => !isConstant(tensor)) : tensors;
  const buffers = callable.buffers();
  for (const { name } of taken) if (inputs.has(name)) (buffers[name]! as Float64Array).set(inputs.get(name)!);
  const arrays = taken.map((tensor) => buffers[tensor.name]!);
  const outputs = arrays.filter((_, at) => taken[at]!.role === "output");
  return { name, call: () => callable(...arrays), outputs };
}

/** @param kernel with all its twins, or the loops alone */
export async function twinEntrant(
  kernel: CompiledKernel,
  twin: Twin,
  inputs: Inputs,
  folder: string,
): Promise<Entrant | Absent | null> {
  const part = twin === "reference" ? kernel : alone(kernel, twin);
  if (!part) return null;
  try {
    const emitted = await emittedKernel(part, folder);
    const { twin: found, twinReason } = emitted.info;
    if (found !== twin) return { name: twin, why: twinReason ?? `${found} answers` };
    return entrantOf(twin, emitted, part, inputs);
  } catch (error) {
    return { name: twin, why: messageOf(error) };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface Peer {
  readonly name: string;
  /** Of the module: what to call with inputs, then outputs; nothing: it has none for such a kernel. */
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

/** Null: the peer has nothing for this kernel. */
export async function peerEntrant(
  { name, open }: Peer,
  { op, parameters, target, tensors }: CompiledKernel,
  inputs: Inputs,
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
