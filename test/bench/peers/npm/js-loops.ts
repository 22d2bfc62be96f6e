// Loops as one writes them in JavaScript, for an engine to compile: the operators of suites/pixels.ts.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { NpmPeer } from "./npm-peer.ts";

type Loops = (inputs: readonly Float32Array[], out: Float32Array, extents: readonly number[]) => void;

const loops: Readonly<Record<string, Loops>> = {
  "planes-u8"([image, mean, factor], out, [H, W]) {
    const count = H! * W!;
    for (let c = 0; c < 3; c++)
      for (let pixel = 0; pixel < count; pixel++)
        out[c * count + pixel] = (image![pixel * 3 + c]! - mean![c]!) * factor![c]!;
  },
  "channels-f32"([image, mean, factor], out, [H, W]) {
    for (let pixel = 0; pixel < H! * W!; pixel++)
      for (let c = 0; c < 3; c++) out[pixel * 3 + c] = (image![pixel * 3 + c]! - mean![c]!) * factor![c]!;
  },
  "pixels-f32"([image], out, [H, W]) {
    const count = H! * W!;
    for (let pixel = 0; pixel < count; pixel++)
      for (let c = 0; c < 3; c++) out[pixel * 3 + c] = Math.min(1, Math.max(0, image![c * count + pixel]!));
  },
  "twice-f32"([small, large], out, [C, H, W]) {
    for (let row = 0; row < C! * 2 * H!; row++)
      for (let x = 0; x < 2 * W!; x++) {
        const at = row * 2 * W! + x;
        out[at] = small![(row >> 1) * W! + (x >> 1)]! + large![at]!;
      }
  },
  "mono-f32"([sound], out, [N]) {
    for (let at = 0; at < N!; at++) out[at] = (sound![2 * at]! + sound![2 * at + 1]!) * 0.5;
  },
  "magnitudes-f32"([numbers], out, [N]) {
    for (let at = 0; at < N!; at++) {
      const [re, im] = [numbers![2 * at]!, numbers![2 * at + 1]!];
      out[at] = Math.sqrt(re * re + im * im);
    }
  },
  "complex-product-f32"([left, right], out, [N]) {
    for (let at = 0; at < 2 * N!; at += 2) {
      const [re, im, re2, im2] = [left![at]!, left![at + 1]!, right![at]!, right![at + 1]!];
      out[at] = re * re2 - im * im2;
      out[at + 1] = re * im2 + im * re2;
    }
  },
  "mirror-f32"([image], out, [H, W]) {
    for (let y = 0; y < H!; y++)
      for (let x = 0; x < W!; x++)
        for (let c = 0; c < 3; c++) out[(y * W! + x) * 3 + c] = image![(y * W! + W! - 1 - x) * 3 + c]! * 0.5;
  },
  "yuv-u8"([bright, blue, red], out, [H, W]) {
    for (let y = 0; y < H!; y++)
      for (let x = 0; x < W!; x++) {
        const four = (y >> 1) * (W! >> 1) + (x >> 1);
        const [l, u, v] = [bright![y * W! + x]!, blue![four]! - 128, red![four]! - 128];
        const pixel = (y * W! + x) * 3;
        out[pixel] = l + v * 1.402;
        out[pixel + 1] = l - u * 0.344 - v * 0.714;
        out[pixel + 2] = l + u * 1.772;
      }
  },
  "over-f32"([front, back], out, [N]) {
    for (let pixel = 0; pixel < 4 * N!; pixel += 4)
      for (let c = 0; c < 4; c++) out[pixel + c] = front![pixel + c]! + back![pixel + c]! * (1 - front![pixel + 3]!);
  },
  "cross-f32"([left, right], out, [N]) {
    for (let at = 0; at < 3 * N!; at += 3) {
      const [a, b, c] = [left![at]!, left![at + 1]!, left![at + 2]!];
      const [x, y, z] = [right![at]!, right![at + 1]!, right![at + 2]!];
      out[at] = b * z - c * y;
      out[at + 1] = c * x - a * z;
      out[at + 2] = a * y - b * x;
    }
  },
  "directions-f32"([vectors], out, [N]) {
    for (let at = 0; at < 3 * N!; at += 3) {
      const [x, y, z] = [vectors![at]!, vectors![at + 1]!, vectors![at + 2]!];
      const length = Math.sqrt(x * x + y * y + z * z + 1);
      out[at] = x / length;
      out[at + 1] = y / length;
      out[at + 2] = z / length;
    }
  },
};

/** Elements of a result, of all that an operand of it has. */
const elementsOf: Readonly<Record<string, (inputs: readonly KernelArray[]) => number>> = {
  "twice-f32": ([, large]) => large!.length,
  "mono-f32": ([sound]) => sound!.length / 2,
  "magnitudes-f32": ([numbers]) => numbers!.length / 2,
  "yuv-u8": ([bright]) => 3 * bright!.length,
};

export const jsLoops = (): NpmPeer => ({
  name: "loops in JavaScript",
  version: `Node ${process.versions.node}`,
  async open({ name, extents }, inputs) {
    const loop = loops[name];
    if (!loop) return null;
    const out = new Float32Array(elementsOf[name]?.(inputs) ?? inputs[0]!.length);
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
