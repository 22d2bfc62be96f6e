// jax-js on WASM. It is lazy: a run is over when its result is ready. What is read is given away, so it is asked for by `ref`.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { PeerCall } from "../work.ts";
import type { NpmCall, NpmPeer, Package } from "./npm-peer.ts";
import { permuted } from "./permuted.ts";

export interface JaxArray {
  readonly ref: JaxArray;
  blockUntilReady(): Promise<unknown>;
  data(): Promise<KernelArray>;
  dispose(): void;
}

/** Part of its interface that we use. */
export interface Jax {
  init(device: string): Promise<readonly string[]>;
  defaultDevice(device: string): void;
  readonly numpy: {
    array(values: KernelArray, options: { readonly shape: readonly number[] }): JaxArray;
    matmul(a: JaxArray, b: JaxArray): JaxArray;
  };
  readonly nn: { softmax(x: JaxArray, axis: number): JaxArray };
  readonly lax: {
    convGeneralDilated(
      x: JaxArray,
      filter: JaxArray,
      strides: readonly number[],
      padding: readonly (readonly number[])[],
      options: { readonly featureGroupCount: number },
    ): JaxArray;
  };
}

export async function jaxJs(found: Package): Promise<NpmPeer> {
  // The package looks for WebGPU in `navigator`, which Node 20 lacks.
  Object.defineProperty(globalThis, "navigator", { value: globalThis.navigator ?? {}, configurable: true });
  const jax = (await found.load()) as unknown as Jax;
  await jax.init("wasm");
  jax.defaultDevice("wasm");
  return {
    name: "jax-js",
    version: found.version,
    async open(call, inputs) {
      // Other packages define it, and what it compiles would expect the memory of workers.
      Reflect.deleteProperty(globalThis, "Worker");
      const operation = operationOf(jax, call, inputs);
      return operation && openOperation(jax, operation);
    },
  };
}

export interface Operation {
  readonly inputs: readonly { readonly data: KernelArray; readonly shape: readonly number[] }[];
  readonly compute: (...arrays: JaxArray[]) => JaxArray;
  readonly result: (data: KernelArray) => KernelArray;
}

async function openOperation(jax: Jax, { inputs, compute, result }: Operation): Promise<NpmCall> {
  const arrays = inputs.map(({ data, shape }) => jax.numpy.array(data, { shape }));
  for (const array of arrays) await array.blockUntilReady();
  let last: JaxArray | null = null;
  return {
    async run() {
      last?.dispose();
      last = compute(...arrays.map(({ ref }) => ref));
      await last.blockUntilReady();
    },
    result: async () => result(await last!.ref.data()),
    close() {
      for (const array of last ? [...arrays, last] : arrays) array.dispose();
    },
  };
}

export function operationOf(jax: Jax, { name, extents }: PeerCall, inputs: readonly KernelArray[]): Operation | null {
  const [M = 1, N = 1, K = 1, batch = 1] = extents;
  const as = (...shapes: (readonly number[])[]) => shapes.map((shape, at) => ({ data: inputs[at]!, shape }));
  const result = (data: KernelArray): KernelArray => data;
  switch (name) {
    case "gemm-f32":
    case "gemm-f32-packed":
      return { inputs: as([M, K], [K, N]), compute: (a, b) => jax.numpy.matmul(a!, b!), result };
    case "gemv-f32":
      return { inputs: as([M, N], [N]), compute: (a, x) => jax.numpy.matmul(a!, x!), result };
    case "batch-f32":
      return { inputs: as([batch, M, K], [batch, K, N]), compute: (a, b) => jax.numpy.matmul(a!, b!), result };
    case "softmax-f32":
      return { inputs: as([M, N]), compute: (x) => jax.nn.softmax(x!, 1), result };
    case "conv2d-f32":
      return convolution(jax, extents, 1, inputs);
    case "depthwise-f32":
      return convolution(jax, extents, N, inputs);
    default:
      return null;
  }
}

function convolution(
  jax: Jax,
  extents: readonly number[],
  featureGroupCount: number,
  [image, filter]: readonly KernelArray[],
): Operation {
  const [H = 1, C = 1, F = 1, taps = 1, stride = 1, padding = 0] = extents;
  const isDepthwise = featureGroupCount > 1;
  const Y = Math.floor((H + 2 * padding - taps) / stride) + 1;
  const weights = isDepthwise
    ? permuted(filter!, [taps, taps, C], [2, 0, 1])
    : permuted(filter!, [taps, taps, C, F], [3, 2, 0, 1]);
  const [strides, around] = [
    [stride, stride],
    [padding, padding],
  ];
  return {
    inputs: [
      { data: permuted(image!, [H, H, C], [2, 0, 1]), shape: [1, C, H, H] },
      { data: weights, shape: [F, isDepthwise ? 1 : C, taps, taps] },
    ],
    compute: (x, w) => jax.lax.convGeneralDilated(x!, w!, strides, [around, around], { featureGroupCount }),
    result: (data) => permuted(data, [F, Y, Y], [1, 2, 0]),
  };
}
