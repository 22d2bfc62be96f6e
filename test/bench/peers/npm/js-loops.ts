// Loops as one writes them in JavaScript for an engine to compile them well, short ones written out: the operators of suites/pixels.ts and suites/rows.ts.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { NpmPeer } from "./npm-peer.ts";

type Loops = (inputs: readonly Float32Array[], out: Float32Array, extents: readonly number[]) => void;

const loops: Readonly<Record<string, Loops>> = {
  "planes-u8"([image, mean, factor], out, [H = 0, W = 0]) {
    const count = H * W;
    for (let c = 0; c < 3; c++) {
      const [m, f] = [mean![c]!, factor![c]!];
      const first = c * count;
      for (let pixel = 0; pixel < count; pixel++) out[first + pixel] = (image![pixel * 3 + c]! - m) * f;
    }
  },
  "channels-f32"([image, mean, factor], out) {
    const [m0, m1, m2] = mean as unknown as readonly [number, number, number];
    const [f0, f1, f2] = factor as unknown as readonly [number, number, number];
    for (let at = 0; at < out.length; at += 3) {
      out[at] = (image![at]! - m0) * f0;
      out[at + 1] = (image![at + 1]! - m1) * f1;
      out[at + 2] = (image![at + 2]! - m2) * f2;
    }
  },
  "pixels-f32"([image], out, [H = 0, W = 0]) {
    const count = H * W;
    for (let c = 0; c < 3; c++) {
      const first = c * count;
      for (let pixel = 0; pixel < count; pixel++) {
        const value = image![first + pixel]!;
        out[pixel * 3 + c] = Math.min(Math.max(value, 0), 1);
      }
    }
  },
  "twice-f32"([small, large], out, [C = 0, H = 0, W = 0]) {
    for (let row = 0; row < C * 2 * H; row++) {
      const [from, to] = [(row >> 1) * W, row * 2 * W];
      for (let x = 0; x < W; x++) {
        const value = small![from + x]!;
        const at = to + 2 * x;
        out[at] = value + large![at]!;
        out[at + 1] = value + large![at + 1]!;
      }
    }
  },
  "mono-f32"([sound], out) {
    for (let at = 0; at < out.length; at++) out[at] = (sound![2 * at]! + sound![2 * at + 1]!) * 0.5;
  },
  "magnitudes-f32"([numbers], out) {
    for (let at = 0; at < out.length; at++) {
      const re = numbers![2 * at]!;
      const im = numbers![2 * at + 1]!;
      out[at] = Math.sqrt(re * re + im * im);
    }
  },
  "complex-product-f32"([left, right], out) {
    for (let at = 0; at < out.length; at += 2) {
      const re = left![at]!;
      const im = left![at + 1]!;
      const re2 = right![at]!;
      const im2 = right![at + 1]!;
      out[at] = re * re2 - im * im2;
      out[at + 1] = re * im2 + im * re2;
    }
  },
  "mirror-f32"([image], out, [H = 0, W = 0]) {
    for (let y = 0; y < H; y++) {
      let from = (y * W + W - 1) * 3;
      for (let at = y * W * 3; at < (y + 1) * W * 3; at += 3, from -= 3) {
        out[at] = image![from]! * 0.5;
        out[at + 1] = image![from + 1]! * 0.5;
        out[at + 2] = image![from + 2]! * 0.5;
      }
    }
  },
  "yuv-u8"([bright, blue, red], out, [H = 0, W = 0]) {
    for (let y = 0; y < H; y++)
      for (let x = 0; x < W; x++) {
        const four = (y >> 1) * (W >> 1) + (x >> 1);
        const l = bright![y * W + x]!;
        const u = blue![four]! - 128;
        const v = red![four]! - 128;
        const pixel = (y * W + x) * 3;
        out[pixel] = l + v * 1.402;
        out[pixel + 1] = l - u * 0.344 - v * 0.714;
        out[pixel + 2] = l + u * 1.772;
      }
  },
  "over-f32"([front, back], out) {
    for (let at = 0; at < out.length; at += 4) {
      const left = 1 - front![at + 3]!;
      out[at] = front![at]! + back![at]! * left;
      out[at + 1] = front![at + 1]! + back![at + 1]! * left;
      out[at + 2] = front![at + 2]! + back![at + 2]! * left;
      out[at + 3] = front![at + 3]! + back![at + 3]! * left;
    }
  },
  "cross-f32"([left, right], out) {
    for (let at = 0; at < out.length; at += 3) {
      const a = left![at]!;
      const b = left![at + 1]!;
      const c = left![at + 2]!;
      const x = right![at]!;
      const y = right![at + 1]!;
      const z = right![at + 2]!;
      out[at] = b * z - c * y;
      out[at + 1] = c * x - a * z;
      out[at + 2] = a * y - b * x;
    }
  },
  "directions-f32"([vectors], out) {
    for (let at = 0; at < out.length; at += 3) {
      const x = vectors![at]!;
      const y = vectors![at + 1]!;
      const z = vectors![at + 2]!;
      const length = Math.sqrt(x * x + y * y + z * z + 1);
      out[at] = x / length;
      out[at + 1] = y / length;
      out[at + 2] = z / length;
    }
  },
  "rows-f32"([rows, weights], out, [M = 0, N = 0, K = 0]) {
    for (let i = 0; i < M; i++)
      for (let j = 0; j < N; j++) {
        let sum = 0;
        for (let k = 0; k < K; k++) sum += rows![i * K + k]! * weights![j * K + k]!;
        out[i * N + j] = sum;
      }
  },
  "rows-q8"([rows, weights, scale], out, [M = 0, N = 0, K = 0]) {
    const groups = K / 32;
    for (let i = 0; i < M; i++)
      for (let j = 0; j < N; j++) {
        let sum = 0;
        for (let group = 0; group < groups; group++) {
          let part = 0;
          for (let k = 32 * group; k < 32 * group + 32; k++) part += rows![i * K + k]! * weights![j * K + k]!;
          sum += part * scale![j * groups + group]!;
        }
        out[i * N + j] = sum;
      }
  },
  "rows-q4"([rows, weights, scale], out, [M = 0, N = 0, K = 0]) {
    const groups = K / 32;
    for (let i = 0; i < M; i++)
      for (let j = 0; j < N; j++) {
        let sum = 0;
        for (let group = 0; group < groups; group++) {
          let part = 0;
          for (let k = 16 * group; k < 16 * group + 16; k++) {
            const both = weights![(j * K) / 2 + k]!;
            part += rows![i * K + 2 * k]! * ((both & 15) - 8) + rows![i * K + 2 * k + 1]! * ((both >> 4) - 8);
          }
          sum += part * scale![j * groups + group]!;
        }
        out[i * N + j] = sum;
      }
  },
};

const productElements = (_: readonly KernelArray[], [M = 0, N = 0]: readonly number[]): number => M * N;

/** Elements of a result, of all that an operand of it has. */
const elementsOf: Readonly<Record<string, (inputs: readonly KernelArray[], extents: readonly number[]) => number>> = {
  "twice-f32": ([, large]) => large!.length,
  "mono-f32": ([sound]) => sound!.length / 2,
  "magnitudes-f32": ([numbers]) => numbers!.length / 2,
  "yuv-u8": ([bright]) => 3 * bright!.length,
  ...Object.fromEntries(["rows-f32", "rows-q8", "rows-q4"].map((name) => [name, productElements])),
};

export const jsLoops = (): NpmPeer => ({
  name: "loops in JavaScript",
  version: `Node ${process.versions.node}`,
  async open({ name, extents }, inputs) {
    const loop = loops[name];
    if (!loop) return null;
    const out = new Float32Array(elementsOf[name]?.(inputs, extents) ?? inputs[0]!.length);
    return {
      run() {
        loop(inputs as readonly Float32Array[], out, extents);
        return undefined;
      },
      result: async () => out,
      close() {},
    };
  },
});
