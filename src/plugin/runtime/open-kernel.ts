// A WASM module → memory, views of its arrays, and what runs it: here, and in workers that calls off the event loop run in.

import { arrayTypes, type TypedArray, type WasmSharing } from "../../compiler/index.ts";
import type { ArrayPlace } from "./facts.ts";
import type { Arrays } from "./implementation.ts";

interface ModuleParts {
  readonly module: WebAssembly.Module;
  readonly layout: readonly ArrayPlace[];
  readonly sharing?: WasmSharing | undefined;
}

/** A kernel as a worker is told of it. Numbers are places in the layout of `run`, but for those of `taken`. */
export interface KernelParts {
  readonly run: ModuleParts & {
    readonly constants: readonly number[];
    readonly results: readonly number[];
    readonly inputs: readonly number[];
    readonly outputs: readonly number[];
  };
  /** Makes something of constants, which `run` takes as `results`. */
  readonly prepare: (ModuleParts & { readonly taken: readonly number[] }) | null;
}

export interface OpenKernel {
  /** The arrays of the layout. */
  readonly views: Arrays;
  run(): void;
  set(constants: Arrays, isLast: boolean): void;
}

/** An instance of a module that can run. */
interface Running {
  readonly memory: WebAssembly.Memory;
  run(): void;
}

/** Opens a module; one that is not for threads takes no `sharing`. */
export type OpenModule = (module: WebAssembly.Module, sharing: WasmSharing | undefined) => Running;

/** Opens kernels of one thread. */
export const openAlone: OpenModule = (module) => new WebAssembly.Instance(module).exports as unknown as Running;

type View = new (buffer: ArrayBufferLike, offset: number, length: number) => TypedArray;

function open({ module, layout, sharing }: ModuleParts, openModule: OpenModule) {
  const { memory, run } = openModule(module, sharing);
  const views = layout.map(
    ([dtype, offset, length]) => new (arrayTypes[dtype] as unknown as View)(memory.buffer, offset, length),
  );
  return { run, views };
}

export function openKernel({ run, prepare }: KernelParts, openModule: OpenModule): OpenKernel {
  const kernel = open(run, openModule);
  let preparing: ReturnType<typeof open> | null = null;
  return {
    ...kernel,
    set(constants, isLast) {
      for (const [at, view] of run.constants.entries()) kernel.views[view]!.set(constants[at]!);
      if (prepare === null) return;
      preparing ??= open(prepare, openModule);
      const { views } = preparing;
      for (const [at, constant] of prepare.taken.entries()) views[at]!.set(constants[constant]!);
      preparing.run();
      for (const [at, view] of run.results.entries()) kernel.views[view]!.set(views[prepare.taken.length + at]!);
      // The memory of a preparation is needed again only if other constants follow.
      if (isLast) preparing = null;
    },
  };
}
