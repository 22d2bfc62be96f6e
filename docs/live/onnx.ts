// onnxruntime-web, loaded when it is asked for, from the site's own files: a small model → what it computes, as an entrant.

import { type OnnxNode, onnxModel } from "../../test/bench/peers/npm/onnx-model.ts";
import { type Entrant, type Library, withBytes } from "./bench.ts";

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface OnnxWork {
  /** Part of the model. */
  readonly constants: readonly Tensor[];
  readonly inputs: readonly Tensor[];
  readonly nodes: readonly OnnxNode[];
  readonly output: Omit<Tensor, "data">;
}

/**
 * The runtime of onnxruntime-web. All pages share one load, so its bytes are those of the first. A failure is not kept: the visitor may ask
 * again.
 */
let loaded: ReturnType<typeof load> | null = null;

const load = () =>
  withBytes(async () => {
    const [ort, { default: wasm }] = await Promise.all([
      import("onnxruntime-web/wasm"),
      import("onnxruntime-web/ort-wasm-simd-threaded.wasm?url"),
    ]);
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = { wasm };
    // A session makes it load its WASM.
    await createSession(ort, {
      constants: [],
      inputs: [one("a")],
      nodes: [{ op: "Relu", inputs: ["a"], output: "b" }],
      output: one("b"),
    });
    return ort;
  });

const one = (name: string): Tensor => ({ name, shape: [1], data: Float32Array.of(1) });

type Runtime = typeof import("onnxruntime-web/wasm");

const createSession = (ort: Runtime, { constants, inputs, nodes, output }: OnnxWork) =>
  ort.InferenceSession.create(
    onnxModel({
      constants: constants.map((it) => ({ ...it, dtype: "f32" })),
      inputs: inputs.map((it) => ({ ...it, dtype: "f32" })),
      nodes,
      output: { ...output, dtype: "f32" },
    }),
    { executionProviders: ["wasm"], graphOptimizationLevel: "all" },
  );

async function openOnnx(work: OnnxWork): Promise<Entrant> {
  loaded ??= load().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  const { value: ort, bytes } = await loaded;
  const session = await createSession(ort, work);
  const feeds = Object.fromEntries(
    work.inputs.map(({ name, shape, data }) => [name, new ort.Tensor("float32", data, shape)]),
  );
  let result = new Float32Array(0);
  return {
    name: "onnxruntime-web",
    ...(ort.env.versions.web ? { version: ort.env.versions.web } : {}),
    bytes,
    async run() {
      const results = await session.run(feeds);
      result = results[work.output.name]!.data as Float32Array<ArrayBuffer>;
    },
    output: () => result,
  };
}

export const onnx = (work: () => OnnxWork): Library => ({
  name: "onnxruntime-web",
  megabytes: 14,
  load: () => openOnnx(work()),
});
