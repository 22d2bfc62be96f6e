// onnxruntime-web on WebGPU in a page: tensors stay in buffers of its device, and nothing is copied between runs.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import { bufferUsage, mapRead } from "../../../../src/plugin/runtime/webgpu/usage.ts";
import { onnxModel } from "../../peers/npm/onnx-model.ts";
import { type Model, modelOf } from "../../peers/npm/onnxruntime.ts";
import type { PeerCall } from "../../peers/work.ts";
import type { OpenedOnGpu } from "../entrant.ts";

/** Part of its interface that we use. */
interface Runtime {
  readonly env: {
    readonly wasm: { wasmPaths?: string; numThreads?: number };
    readonly webgpu: { readonly device: GPUDevice | Promise<GPUDevice> };
  };
  readonly Tensor: {
    fromGpuBuffer(
      buffer: GPUBuffer,
      options: { readonly dataType: "float32"; readonly dims: readonly number[] },
    ): Tensor;
  };
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
}
type Tensor = { readonly location: string };
type Tensors = Readonly<Record<string, Tensor>>;

interface Session {
  run(feeds: Tensors, fetches: Tensors): Promise<Tensors>;
  release(): Promise<void>;
}

/** The command serves the package's files there. */
const files = "/ort/";
const ort = (await import(`${files}ort.webgpu.bundle.min.mjs`)) as Runtime;
ort.env.wasm.wasmPaths = files;
ort.env.wasm.numThreads = 1;

/** A session, whose device is the one that its first makes; null: a model has no such call. */
export async function sessionOf(call: PeerCall, inputs: readonly KernelArray[]): Promise<Opening | null> {
  const model = modelOf(call, inputs);
  if (!model) return null;
  const session = await ort.InferenceSession.create(onnxModel(model.graph), {
    executionProviders: ["webgpu"],
    preferredOutputLocation: "gpu-buffer",
    graphOptimizationLevel: "all",
  });
  return { device: await ort.env.webgpu.device, open: (device) => open(session, model, device) };
}

interface Opening {
  readonly device: GPUDevice;
  open(device: GPUDevice): OpenedOnGpu;
}

function open(session: Session, { graph, feeds, result }: Model, device: GPUDevice): OpenedOnGpu {
  const tensorOf = (shape: readonly number[], values: KernelArray | null): [Tensor, GPUBuffer] => {
    const bytes = 4 * shape.reduce((product, extent) => product * extent, 1);
    const buffer = device.createBuffer({
      size: bytes,
      usage: bufferUsage.storage | bufferUsage.copySource | bufferUsage.copyTarget,
    });
    if (values) device.queue.writeBuffer(buffer, 0, values as Float32Array<ArrayBuffer>);
    return [ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims: shape }), buffer];
  };
  const [inputs, output] = [graph.inputs.map(({ shape }, at) => tensorOf(shape, feeds[at]!)), graph.output];
  const [target, targetBuffer] = tensorOf(output.shape, null);
  const named = Object.fromEntries(graph.inputs.map(({ name }, at) => [name, inputs[at]![0]]));
  return {
    async submit(runs) {
      for (let run = 0; run < runs; run++) await session.run(named, { [output.name]: target });
    },
    result: async () => result(await readBack(device, targetBuffer)),
    close() {
      for (const [, buffer] of inputs) buffer.destroy();
      targetBuffer.destroy();
      void session.release();
    },
  };
}

async function readBack(device: GPUDevice, buffer: GPUBuffer): Promise<Float32Array> {
  const copy = device.createBuffer({ size: buffer.size, usage: bufferUsage.mapRead | bufferUsage.copyTarget });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(mapRead);
  const values = new Float32Array(copy.getMappedRange().slice());
  copy.destroy();
  return values;
}
