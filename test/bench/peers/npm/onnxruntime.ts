// onnxruntime, for Node.js and as WASM: one interface, models made for the call. Convolutions get images of [C, H, W], as models
// for it have them; what that takes is not timed.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { PeerCall } from "../work.ts";
import type { NpmCall, NpmPeer, Package } from "./npm-peer.ts";
import { type OnnxGraph, type OnnxNode, type OnnxTensor, onnxModel } from "./onnx-model.ts";
import { permuted } from "./permuted.ts";

/** Part of its interface that we use. */
interface Runtime {
  readonly env: { readonly wasm: { numThreads?: number } };
  readonly Tensor: new (type: string, data: KernelArray, shape: readonly number[]) => Tensor;
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<Session>;
  };
}

interface Tensor {
  readonly data: KernelArray;
}

interface Session {
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
  release(): Promise<void>;
}

export async function onnxruntime(found: Package, name: string, threads: number): Promise<NpmPeer> {
  const loaded = await found.load();
  const runtime = (loaded.InferenceSession ? loaded : loaded.default) as unknown as Runtime;
  const isWeb = found.name === "onnxruntime-web";
  if (isWeb) runtime.env.wasm.numThreads = threads;
  const options = {
    executionProviders: [isWeb ? "wasm" : "cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: "all",
  };
  return {
    name,
    version: found.version,
    async open(call, inputs) {
      const model = modelOf(call, inputs);
      return model && openModel(runtime, model, options);
    },
  };
}

/** A graph, with what goes in, and how its result comes out. */
export interface Model {
  readonly graph: OnnxGraph;
  readonly feeds: readonly KernelArray[];
  readonly result: (data: KernelArray) => KernelArray;
}

async function openModel(runtime: Runtime, { graph, feeds, result }: Model, options: object): Promise<NpmCall> {
  const session = await runtime.InferenceSession.create(onnxModel(graph), options);
  const tensors = graph.inputs.map(({ name, dtype, shape }, at): [string, Tensor] => [
    name,
    new runtime.Tensor(tensorTypes[dtype]!, feeds[at]!, shape),
  ]);
  const named = Object.fromEntries(tensors);
  let last: Readonly<Record<string, Tensor>> = {};
  return {
    async run() {
      last = await session.run(named);
    },
    result: async () => result(last[graph.output.name]!.data),
    close: () => void session.release(),
  };
}

const tensorTypes: Partial<Record<OnnxTensor["dtype"], string>> = {
  f32: "float32",
  u8: "uint8",
  i8: "int8",
  i32: "int32",
};

export function modelOf({ name, extents }: PeerCall, inputs: readonly KernelArray[]): Model | null {
  const [first = 1, second = 1, third = 1, fourth = 1] = extents;
  const f32 = (input: string, ...shape: number[]): Input => ({ name: input, dtype: "f32", shape });
  const [A, B] = [f32("A", first, third), f32("B", third, second)];
  const C = f32("C", first, second);
  const product: OnnxNode = { op: "MatMul", inputs: ["A", "B"], output: "C" };
  const withConstants = (constants: readonly string[], all: readonly Input[], ...nodes: OnnxNode[]): Model =>
    plainModel(all, inputs, constants, { nodes, output: C });
  const model = (all: readonly Input[], ...nodes: OnnxNode[]): Model => withConstants([], all, ...nodes);
  switch (name) {
    case "gemm-f32":
      return model([A, B], product);
    case "gemm-f32-packed":
      return withConstants(["B"], [A, B], product);
    case "gemm-bias-relu":
    case "gemm-bias-gelu":
      return withConstants(
        ["B"],
        [A, B, f32("bias", second)],
        { op: "Gemm", inputs: ["A", "B", "bias"], output: "sum" },
        { op: name === "gemm-bias-relu" ? "Relu" : "Gelu", inputs: ["sum"], output: "C" },
      );
    case "gemm-residual":
      return withConstants(["B"], [A, B, f32("residual", first, second)], {
        op: "Gemm",
        inputs: ["A", "B", "residual"],
        output: "C",
      });
    case "gemm-exp-gemm":
      return plainModel([A, B, f32("E", second, fourth)], inputs, [], {
        nodes: [
          { ...product, output: "P" },
          { op: "Exp", inputs: ["P"], output: "D" },
          { op: "MatMul", inputs: ["D", "E"], output: "F" },
        ],
        output: f32("F", first, fourth),
      });
    case "batch-f32":
      return plainModel([f32("A", fourth, first, third), f32("B", fourth, third, second)], inputs, [], {
        nodes: [product],
        output: f32("C", fourth, first, second),
      });
    case "gemv-f32":
      // The vector as a row, times the transposed matrix: the same numbers where they lie, and several times as fast as A · B.
      return plainModel([f32("A", first, second), f32("B", 1, second)], inputs, [], {
        nodes: [{ op: "Gemm", inputs: ["B", "A"], output: "C", attributes: { transB: 1 } }],
        output: f32("C", 1, first),
      });
    case "gemm-u8s8":
      return plainModel(
        [
          { ...A, dtype: "u8" },
          { ...B, dtype: "i8" },
        ],
        inputs,
        [],
        {
          nodes: [{ ...product, op: "MatMulInteger" }],
          output: { ...C, dtype: "i32" },
        },
      );
    case "softmax-f32":
      return model([f32("A", first, second)], { op: "Softmax", inputs: ["A"], output: "C", attributes: { axis: 1 } });
    case "layer-norm-f32":
      return model([f32("A", first, second), f32("scale", second), f32("bias", second)], {
        op: "LayerNormalization",
        inputs: ["A", "scale", "bias"],
        output: "C",
        attributes: { axis: 1 },
      });
    case "attention-f32":
      return attention(extents, inputs);
    case "conv2d-f32":
      return convolution(extents, 1, inputs);
    case "depthwise-f32":
      return convolution(extents, second, inputs);
    case "conv2d-first-f32":
      return channelsFirst(extents, 1, inputs);
    case "depthwise-first-f32":
      return channelsFirst(extents, second, inputs);
    case "max-pool-first-f32":
      return plainModel([f32("X", 1, second, first, first)], inputs, [], {
        nodes: [
          {
            op: "MaxPool",
            inputs: ["X"],
            output: "Y",
            attributes: { kernel_shape: [third, third], strides: [fourth, fourth] },
          },
        ],
        output: f32("Y", 1, second, Math.floor((first - third) / fourth) + 1, Math.floor((first - third) / fourth) + 1),
      });
    case "clamped-filter-f32":
      return clampedFilter(extents, inputs);
    case "transpose-relu-f32":
      return plainModel([f32("A", first, second)], inputs, [], {
        nodes: [
          { op: "Transpose", inputs: ["A"], output: "T", attributes: { perm: [1, 0] } },
          { op: "Relu", inputs: ["T"], output: "C" },
        ],
        output: f32("C", second, first),
      });
    default:
      return null;
  }
}

/** [H, W, taps]: the image with its edges repeated, then a convolution. */
function clampedFilter([H = 1, W = 1, taps = 1]: readonly number[], [image, filter]: readonly KernelArray[]): Model {
  const margin = (taps - 1) / 2;
  const pads = BigInt64Array.from([0, 0, margin, margin, 0, 0, margin, margin], BigInt);
  return {
    graph: {
      inputs: [{ name: "X", dtype: "f32", shape: [1, 1, H, W] }],
      constants: [
        { name: "pads", dtype: "i64", shape: [8], data: pads },
        { name: "W", dtype: "f32", shape: [1, 1, taps, taps], data: filter! },
      ],
      nodes: [
        { op: "Pad", inputs: ["X", "pads"], output: "padded", attributes: { mode: "edge" } },
        { op: "Conv", inputs: ["padded", "W"], output: "Y", attributes: { kernel_shape: [taps, taps] } },
      ],
      output: { name: "Y", dtype: "f32", shape: [1, 1, H, W] },
    },
    feeds: [image!],
    result: (data) => data,
  };
}

type Input = OnnxGraph["inputs"][number];

function plainModel(
  all: readonly Input[],
  data: readonly KernelArray[],
  constants: readonly string[],
  rest: Pick<OnnxGraph, "nodes" | "output">,
): Model {
  const isConstant = ({ name }: Input): boolean => constants.includes(name);
  return {
    graph: {
      inputs: all.filter((input) => !isConstant(input)),
      constants: all.flatMap((input, at) => (isConstant(input) ? [{ ...input, data: data[at]! }] : [])),
      ...rest,
    },
    feeds: data.filter((_, at) => !isConstant(all[at]!)),
    result: (data) => data,
  };
}

/** [heads, tokens, D]: as an exported model has it, for the runtime to fuse. */
function attention([heads = 1, tokens = 1, D = 1]: readonly number[], inputs: readonly KernelArray[]): Model {
  const shape = [heads, tokens, D];
  const scale = { name: "scale", dtype: "f32", shape: [1], data: Float32Array.of(1 / Math.sqrt(D)) } as const;
  const model = plainModel(
    ["Q", "K", "V"].map((name) => ({ name, dtype: "f32", shape })),
    inputs,
    [],
    {
      nodes: [
        { op: "Transpose", inputs: ["K"], output: "Kt", attributes: { perm: [0, 2, 1] } },
        { op: "MatMul", inputs: ["Q", "Kt"], output: "products" },
        { op: "Mul", inputs: ["products", "scale"], output: "scores" },
        { op: "Softmax", inputs: ["scores"], output: "weights", attributes: { axis: 2 } },
        { op: "MatMul", inputs: ["weights", "V"], output: "O" },
      ],
      output: { name: "O", dtype: "f32", shape },
    },
  );
  return { ...model, graph: { ...model.graph, constants: [scale] } };
}

/** [H, C, F, taps, stride, padding], of one image; the filter is [taps, taps, C, F], or [taps, taps, C] in as many groups. */
function convolution(extents: readonly number[], groups: number, [image, filter]: readonly KernelArray[]): Model {
  const [H = 1, C = 1, F = 1, taps = 1] = extents;
  const filterOrder = groups > 1 ? [2, 3, 0, 1] : [3, 2, 0, 1];
  const filterShape = groups > 1 ? [taps, taps, C, 1] : [taps, taps, C, F];
  const model = channelsFirst(extents, groups, [
    permuted(image!, [H, H, C], [2, 0, 1]),
    permuted(filter!, filterShape, filterOrder),
  ]);
  const [, , Y = 1] = model.graph.output.shape;
  return { ...model, result: (data) => permuted(data, [F, Y, Y], [1, 2, 0]) };
}

/** The same of an image [C, H, H] and a filter [F, C, taps, taps], or [C, 1, taps, taps] in as many groups: as the runtime has them. */
function channelsFirst(extents: readonly number[], groups: number, [image, filter]: readonly KernelArray[]): Model {
  const [H = 1, C = 1, F = 1, taps = 1, stride = 1, padding = 0] = extents;
  const of = groups > 1 ? 1 : C;
  const Y = Math.floor((H + 2 * padding - taps) / stride) + 1;
  const attributes = {
    group: groups,
    kernel_shape: [taps, taps],
    strides: [stride, stride],
    pads: [padding, padding, padding, padding],
  };
  return {
    graph: {
      inputs: [{ name: "X", dtype: "f32", shape: [1, C, H, H] }],
      constants: [{ name: "W", dtype: "f32", shape: [F, of, taps, taps], data: filter! }],
      nodes: [{ op: "Conv", inputs: ["X", "W"], output: "Y", attributes }],
      output: { name: "Y", dtype: "f32", shape: [1, F, Y, Y] },
    },
    feeds: [image!],
    result: (data) => data,
  };
}
