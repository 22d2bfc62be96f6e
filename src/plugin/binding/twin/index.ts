// The table of bindings, by the kind of the twin.

import type { KernelTwin } from "../../kernel/twin.ts";
import { cudaBinding } from "./cuda.ts";
import { foreignBinding } from "./foreign.ts";
import { loopsBinding } from "./loops.ts";
import { nativeBinding } from "./native.ts";
import type { TwinBinding } from "./twin-binding.ts";
import { wasmBinding } from "./wasm.ts";
import { webgpuBinding } from "./webgpu.ts";

type Bindings = {
  readonly [Kind in KernelTwin["kind"]]: TwinBinding<Extract<KernelTwin, { readonly kind: Kind }>>;
};

const bindings: Bindings = {
  native: nativeBinding,
  foreign: foreignBinding,
  webgpu: webgpuBinding,
  cuda: cudaBinding,
  wasm: wasmBinding,
  loops: loopsBinding,
};

/** Returns the binding of a twin. */
export const bindingOf = ({ kind }: KernelTwin): TwinBinding<KernelTwin> => bindings[kind];
