// Instances of a WASM kernel: one whose arrays the caller writes into, one for arrays from elsewhere, and those in workers.

import type { TypedArray } from "../../compiler/index.ts";
import type { WorkerSource } from "../../native/process/start-worker.ts";
import { asyncWorkers, type Introduced } from "./async-workers.ts";
import type { Source, WasmFacts } from "./facts.ts";
import { type Arrays, type Instance, type ModuleContext, newOutputs, type RuntimeTensor } from "./implementation.ts";
import { type KernelParts, type OpenKernel, type OpenModule, openKernel } from "./open-kernel.ts";

/** A kernel's parts, and the place in the layout of each tensor. */
export interface Parts extends KernelParts {
  readonly tensors: readonly number[];
}

type Compiled = Pick<WasmFacts, "layout" | "sharing" | "sources"> & { readonly module: WebAssembly.Module };

export function partsOf(
  { tensors, constants, others }: ModuleContext,
  { module, layout, sharing, sources = tensors.map((_, at): Source => ["other", at]) }: Compiled,
  prepare: KernelParts["prepare"],
): Parts {
  const viewOf = (kind: Source[0], at: number): number =>
    sources.findIndex((source) => source[0] === kind && source[1] === at);
  const viewsOf = (role: RuntimeTensor["role"]): readonly number[] =>
    others.flatMap((tensor, at) => (tensor.role === role ? [viewOf("other", at)] : []));
  const run = {
    ...{ module, layout, sharing },
    constants: constants.map((_, at) => viewOf("constant", at)),
    results: sources.flatMap(([kind], view) => (kind === "result" ? [view] : [])),
    inputs: viewsOf("input"),
    outputs: viewsOf("output"),
  };
  const viewOfTensor = (tensor: RuntimeTensor): number => {
    const constant = constants.indexOf(tensor);
    return constant < 0 ? viewOf("other", others.indexOf(tensor)) : viewOf("constant", constant);
  };
  return { run, prepare, tensors: tensors.map(viewOfTensor) };
}

export function openWasm(
  { facts, others }: ModuleContext,
  { tensors, ...parts }: Parts,
  worker: WorkerSource,
  openModule: OpenModule,
): Instance {
  const { inputs, outputs, constants, results } = parts.run;
  const places = others.map(({ role }, at) => (role === "input" ? inputs[at]! : outputs[at - inputs.length]!));
  /** Its arrays are the caller's, by `buffers`. */
  let direct: OpenKernel | null = null;
  /** Foreign arrays go through an instance of their own: those of `buffers` stay as the caller left them. */
  let copy: OpenKernel | null = null;
  let known: Introduced | null = null;
  /** Constants of the next call alone. */
  let passing: Arrays | null = null;
  let isPacked = false;
  /** Whether a call is on the caller's arrays of `buffers`, all of them. */
  const isDirect = (arrays: Arrays): boolean =>
    direct !== null &&
    places.every((view, at) => isSame(arrays[at]!, direct!.views[view]!)) &&
    (passing?.every((value, at) => isSame(value, direct!.views[constants[at]!]!)) ?? true);
  const openCopy = (): OpenKernel => {
    copy ??= openKernel(parts, openModule);
    return copy;
  };
  const instance: Instance = {
    set(values, isLast) {
      isPacked = isLast;
      if (isLast) openCopy().set(values, true);
      else passing = values;
    },
    buffers() {
      if (!direct) {
        direct = openKernel(parts, openModule);
        // Callers of a layer pass no constants, so its constants and their packed forms are copied in.
        if (isPacked) for (const view of [...constants, ...results]) direct.views[view]!.set(copy!.views[view]!);
      }
      const { views } = direct;
      return tensors.map((view) => views[view]!);
    },
    bind(arrays) {
      const isOwn = isDirect(arrays);
      const { views, run, set } = isOwn ? direct! : openCopy();
      if (passing) set(passing, false);
      passing = null;
      if (isOwn) return run;
      return () => {
        for (let at = 0; at < inputs.length; at++) views[places[at]!]!.set(arrays[at]!);
        run();
        for (let at = inputs.length; at < places.length; at++) arrays[at]!.set(views[places[at]!]!);
      };
    },
    async async(given: Arrays, values: Arrays | null) {
      const workers = asyncWorkers(worker);
      known ??= workers.introduce(instance, facts.op);
      const answer = await workers.call(known, (isNew) => {
        const own = isNew && values === null && constants.length > 0 ? copiesOf(copy!, constants) : values;
        const message = {
          inputs: given,
          isLast: values === null,
          ...(own && { constants: own }),
          ...(isNew && { parts }),
        };
        return { message, transfer: [...given, ...(own ?? [])].map(({ buffer }) => buffer as ArrayBuffer) };
      });
      if (answer !== null) return answer;
      const made = newOutputs(others, given);
      if (values !== null) instance.set(values, false);
      instance.bind([...given, ...made])();
      return made;
    },
  };
  return instance;
}

/** Halves are seen anew in every call. */
const isSame = (array: TypedArray, view: TypedArray): boolean =>
  array === view || (array.buffer === view.buffer && array.byteOffset === view.byteOffset);

const copiesOf = ({ views }: OpenKernel, places: readonly number[]): Arrays =>
  places.map((view) => views[view]!.slice());
