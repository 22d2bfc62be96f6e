// Loops as one writes them in JavaScript for an engine to compile them well, short ones written out: the operators of suites/pixels.ts,
// suites/rows.ts, suites/filters.ts and suites/short-sums.ts.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { NpmPeer } from "./npm-peer.ts";

/** Some have bytes for inputs or results, which are read and written as other numbers are. */
type Loops = (inputs: readonly Float32Array[], out: Float32Array, extents: readonly number[]) => void;

const loops: Readonly<Record<string, Loops>> = {
  "distances-f32"([from, to], out, [M = 0, N = 0]) {
    for (let i = 0; i < M; i++) {
      const [x, y, z] = [from![3 * i]!, from![3 * i + 1]!, from![3 * i + 2]!];
      for (let j = 0; j < N; j++) {
        const [dx, dy, dz] = [x - to![3 * j]!, y - to![3 * j + 1]!, z - to![3 * j + 2]!];
        out[i * N + j] = Math.sqrt(dx * dx + dy * dy + dz * dz);
      }
    }
  },
  "colors-f32"([image, matrix], out) {
    const [m0, m1, m2, m3, m4, m5, m6, m7, m8] = matrix as unknown as readonly number[];
    for (let at = 0; at < out.length; at += 3) {
      const [r, g, b] = [image![at]!, image![at + 1]!, image![at + 2]!];
      out[at] = m0! * r + m1! * g + m2! * b;
      out[at + 1] = m3! * r + m4! * g + m5! * b;
      out[at + 2] = m6! * r + m7! * g + m8! * b;
    }
  },
  "moved-f32"([points, matrix], out) {
    for (let at = 0; at < out.length; at += 4) {
      const [x, y, z, w] = [points![at]!, points![at + 1]!, points![at + 2]!, points![at + 3]!];
      for (let r = 0; r < 4; r++)
        out[at + r] = matrix![4 * r]! * x + matrix![4 * r + 1]! * y + matrix![4 * r + 2]! * z + matrix![4 * r + 3]! * w;
    }
  },
  "matrices-f32"([left, right], out) {
    for (let at = 0; at < out.length; at += 9)
      for (let i = at; i < at + 9; i += 3) {
        const [a, b, c] = [left![i]!, left![i + 1]!, left![i + 2]!];
        for (let j = 0; j < 3; j++)
          out[i + j] = a * right![at + j]! + b * right![at + 3 + j]! + c * right![at + 6 + j]!;
      }
  },
  "greatest-f32"([rows], out) {
    for (let i = 0; i < out.length; i++) {
      let most = rows![8 * i]!;
      for (let k = 1; k < 8; k++) most = Math.max(most, rows![8 * i + k]!);
      out[i] = most;
    }
  },
  "pool-f32"([image], out, [H = 0, W = 0, C = 0]) {
    for (let y = 0; y < H; y++)
      for (let x = 0; x < W; x++) {
        const [upper, to] = [(2 * y * 2 * W + 2 * x) * C, (y * W + x) * C];
        const lower = upper + 2 * W * C;
        for (let c = 0; c < C; c++) {
          const high = Math.max(image![upper + c]!, image![upper + C + c]!);
          out[to + c] = Math.max(high, image![lower + c]!, image![lower + C + c]!);
        }
      }
  },
  "cosines-f32"([image, basis], out) {
    for (let block = 0; block < out.length; block += 8)
      for (let at = 0; at < 8; at++) {
        let sum = 0;
        for (let k = 0; k < 8; k++) sum += image![block + k]! * basis![8 * at + k]!;
        out[block + at] = sum;
      }
  },
  "by-channel-f32"([image, taps], out, [C = 0, H = 0, W = 0]) {
    const w = W + 2;
    for (let c = 0; c < C; c++) {
      const [t0, t1, t2, t3, t4, t5, t6, t7, t8] = taps!.subarray(9 * c, 9 * c + 9) as unknown as readonly number[];
      for (let y = 0; y < H; y++) {
        const [from, to] = [(c * (H + 2) + y) * w, (c * H + y) * W];
        for (let x = 0; x < W; x++) {
          const p = from + x;
          out[to + x] =
            image![p]! * t0! +
            image![p + 1]! * t1! +
            image![p + 2]! * t2! +
            image![p + w]! * t3! +
            image![p + w + 1]! * t4! +
            image![p + w + 2]! * t5! +
            image![p + 2 * w]! * t6! +
            image![p + 2 * w + 1]! * t7! +
            image![p + 2 * w + 2]! * t8!;
        }
      }
    }
  },
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
  "blur-f32"([image], out, [H = 0, W = 0]) {
    const passed = new Float32Array((H + 4) * W);
    for (let y = 0; y < H + 4; y++) {
      for (let x = 0, at = y * (W + 4); x < W; x++, at++) {
        passed[y * W + x] =
          image![at]! + 4 * image![at + 1]! + 6 * image![at + 2]! + 4 * image![at + 3]! + image![at + 4]!;
      }
    }
    blurColumns(passed, out, H * W, W, 1 / 256, 0);
  },
  "blur-u8"([image], out, [H = 0, W = 0]) {
    const passed = new Int32Array((H + 4) * W * 3);
    for (let y = 0; y < H + 4; y++) {
      for (let x = 0, at = y * (W + 4) * 3; x < W * 3; x++, at++) {
        passed[y * W * 3 + x] =
          image![at]! + 4 * image![at + 3]! + 6 * image![at + 6]! + 4 * image![at + 9]! + image![at + 12]!;
      }
    }
    blurColumns(passed, out, H * W * 3, W * 3, 1 / 256, 0.5);
  },
  "gray-u8"([image], out) {
    for (let at = 0; at < out.length; at++)
      out[at] = (image![3 * at]! * 77 + image![3 * at + 1]! * 150 + image![3 * at + 2]! * 29) >> 8;
  },
  "mix-u8"([front, back, alpha], out) {
    for (let at = 0; at < out.length; at++)
      out[at] = ((front![at]! * alpha![at]! + back![at]! * (255 - alpha![at]!) + 127) / 255) | 0;
  },
  "slopes-u8"([image], out, [H = 0, W = 0]) {
    const w = W + 2;
    for (let y = 0; y < H; y++) {
      for (let x = 0, p = y * w; x < W; x++, p++) {
        const [a, b, c, d] = [image![p]!, image![p + 2]!, image![p + 2 * w]!, image![p + 2 * w + 2]!] as const;
        const across = b + 2 * image![p + w + 2]! + d - a - 2 * image![p + w]! - c;
        const down = c + 2 * image![p + 2 * w + 1]! + d - a - 2 * image![p + 1]! - b;
        out[y * W + x] = Math.min(Math.abs(across) + Math.abs(down), 255);
      }
    }
  },
  "frames-u8"([image], out, [H = 0, W = 0, count = 0]) {
    const sums = new Int32Array(H * W);
    for (let frame = 0; frame < count; frame++)
      for (let at = 0, from = frame * H * W; at < sums.length; at++, from++) sums[at] = sums[at]! + image![from]!;
    for (let at = 0; at < sums.length; at++) out[at] = (sums[at]! / count) | 0;
  },
};

/** The second pass of a blur: five rows below each other. */
function blurColumns(
  passed: Float32Array | Int32Array,
  out: Float32Array,
  count: number,
  row: number,
  factor: number,
  more: number,
): void {
  for (let at = 0; at < count; at++) {
    const sum =
      passed[at]! +
      4 * passed[at + row]! +
      6 * passed[at + 2 * row]! +
      4 * passed[at + 3 * row]! +
      passed[at + 4 * row]!;
    out[at] = sum * factor + more;
  }
}

const productElements = (_: readonly KernelArray[], [M = 0, N = 0]: readonly number[]): number => M * N;

/** Elements of a result, of all that an operand of it has. */
const elementsOf: Readonly<Record<string, (inputs: readonly KernelArray[], extents: readonly number[]) => number>> = {
  "twice-f32": ([, large]) => large!.length,
  "mono-f32": ([sound]) => sound!.length / 2,
  "magnitudes-f32": ([numbers]) => numbers!.length / 2,
  "yuv-u8": ([bright]) => 3 * bright!.length,
  "blur-f32": (_, [H = 0, W = 0]) => H * W,
  "blur-u8": (_, [H = 0, W = 0]) => H * W * 3,
  "gray-u8": (_, [H = 0, W = 0]) => H * W,
  "slopes-u8": (_, [H = 0, W = 0]) => H * W,
  "frames-u8": (_, [H = 0, W = 0]) => H * W,
  "greatest-f32": ([rows]) => rows!.length / 8,
  "pool-f32": ([image]) => image!.length / 4,
  "by-channel-f32": (_, [C = 0, H = 0, W = 0]) => C * H * W,
  ...Object.fromEntries(["rows-f32", "rows-q8", "rows-q4", "distances-f32"].map((name) => [name, productElements])),
};

/** Those whose results are bytes. */
const bytesAre = new Set(["blur-u8", "gray-u8", "mix-u8", "slopes-u8", "frames-u8"]);

export const jsLoops = (): NpmPeer => ({
  name: "loops in JavaScript",
  version: `Node ${process.versions.node}`,
  async open({ name, extents }, inputs) {
    const loop = loops[name];
    if (!loop) return null;
    const length = elementsOf[name]?.(inputs, extents) ?? inputs[0]!.length;
    const out = bytesAre.has(name) ? new Uint8Array(length) : new Float32Array(length);
    return {
      run() {
        loop(inputs as readonly Float32Array[], out as Float32Array, extents);
        return undefined;
      },
      result: async () => out,
      close() {},
    };
  },
});
