// tfjs with its WASM backend, loaded when it is asked for, from the site's own files: an operation → what it computes, as an entrant.

import type { Tensor } from "@tensorflow/tfjs-core";
import { type Entrant, type Library, type Numbers, withBytes } from "./bench.ts";

interface Input {
  readonly shape: number[];
  readonly data: Numbers;
}

export type Tfjs = typeof import("./tfjs-runtime.ts");

export interface TfjsWork {
  /** Tensors that stay the same: they are made once, and XNNPACK keeps what it has made of a product's right side. */
  readonly constants: readonly Input[];
  /** Tensors that are made anew for each call, as a session of onnxruntime copies what it is fed. */
  readonly inputs: readonly Input[];
  compute(tf: Tfjs, constants: readonly Tensor[], inputs: readonly Tensor[]): Tensor;
  /** Makes the caller's result of the numbers. Default: they are the result. */
  readonly result?: (numbers: Float32Array) => Numbers;
}

/** All pages share one load. A failure is not kept: the visitor may ask again. */
let loaded: ReturnType<typeof load> | null = null;

const load = () =>
  withBytes(async () => {
    const [tf, { default: plain }, { default: simd }, { default: threaded }] = await Promise.all([
      import("./tfjs-runtime.ts"),
      import("@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm?url"),
      import("@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url"),
      import("@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-threaded-simd.wasm?url"),
    ]);
    // The library takes the best one that the engine can run, and loads no other.
    tf.setWasmPaths({
      "tfjs-backend-wasm.wasm": plain,
      "tfjs-backend-wasm-simd.wasm": simd,
      "tfjs-backend-wasm-threaded-simd.wasm": threaded,
    });
    tf.setThreadsCount(1);
    if (!(await tf.setBackend("wasm"))) throw new Error("tfjs does not start its WASM backend");
    return tf;
  });

const tensorOf = (tf: Tfjs, { shape, data }: Input): Tensor => tf.tensor(data, shape, "float32");

async function openTfjs({ constants, inputs, compute, result = (numbers) => numbers }: TfjsWork): Promise<Entrant> {
  loaded ??= load().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  const { value: tf, bytes } = await loaded;
  const kept = constants.map((constant) => tensorOf(tf, constant));
  let last: Numbers = new Float32Array(0);
  return {
    name: "tfjs",
    version: tf.version_wasm,
    bytes,
    run() {
      const found = tf.tidy(() =>
        compute(
          tf,
          kept,
          inputs.map((input) => tensorOf(tf, input)),
        ),
      );
      last = result(found.dataSync<"float32">());
      found.dispose();
    },
    output: () => last,
  };
}

export const tfjs = (work: () => TfjsWork): Library => ({ name: "tfjs", megabytes: 1, load: () => openTfjs(work()) });
