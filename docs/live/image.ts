// An image filter: five times each pixel, less its four neighbours, on an image of 1280 × 720 pixels as a canvas has it.

import type { Tensor4D } from "@tensorflow/tfjs-core";
import { type Entrant, scheduleOf, type Work, withBytes } from "./bench.ts";
import { type TfjsWork, tfjs } from "./tfjs.ts";

export const [H, W] = [720, 1280];

export interface ImageWork extends Work {
  /** The filter, for a canvas. */
  sharpen(image: ImageData): ImageData;
}

export async function openImage(image: ImageData): Promise<ImageWork> {
  const { value: sharpen, bytes } = await withBytes(async () => (await import("./sharpen-kernel.ts")).default);
  const result = new Uint8Array(H * W * 4);
  const kernel: Entrant = {
    name: "unplugin-kernel",
    bytes,
    run: () => void sharpen(image.data, result),
    output: () => result,
  };
  const plainResult = new Uint8ClampedArray(H * W * 4);
  const plain: Entrant = {
    name: "plain JavaScript",
    bytes: 0,
    run: () => sharpenPlainly(image.data, plainResult),
    output: () => plainResult,
  };
  return {
    what: `${W} × ${H} pixels of RGBA, copied in and out`,
    schedule: scheduleOf(sharpen.info),
    entrants: [kernel, plain],
    libraries: [tfjs(() => sharpenByTfjs(image))],
    sharpen(given) {
      const sharp = new ImageData(W, H);
      sharpen(given.data, result);
      sharp.data.set(result);
      return sharp;
    },
  };
}

/** A filter of each channel, its weights [3, 3, 4, 1]. A border that mirrors one pixel repeats the last one, and a clamped array takes the result. */
function sharpenByTfjs(image: ImageData): TfjsWork {
  const result = new Uint8ClampedArray(H * W * 4);
  const weights = [0, -1, 0, -1, 5, -1, 0, -1, 0].flatMap((weight) => [weight, weight, weight, weight]);
  return {
    constants: [{ shape: [3, 3, 4, 1], data: Float32Array.from(weights) }],
    inputs: [{ shape: [1, H, W, 4], data: image.data }],
    compute(tf, [filter], [pixels]) {
      const around = [0, 1, 1, 0].map((border): [number, number] => [border, border]);
      const framed = tf.mirrorPad(pixels as Tensor4D, around, "symmetric");
      return tf.depthwiseConv2d(framed, filter as Tensor4D, 1, "valid");
    },
    result(numbers) {
      result.set(numbers);
      return result;
    },
  };
}

/** By offsets, the ends of rows apart, so that the loop over a row has no choices; a clamped array cuts what is too dark or too bright. */
function sharpenPlainly(image: Uint8ClampedArray, result: Uint8ClampedArray): void {
  const row = W * 4;
  const pixel = (at: number, up: number, down: number, left: number, right: number): void => {
    result[at] = 5 * image[at]! - image[at + up]! - image[at + down]! - image[at + left]! - image[at + right]!;
  };
  for (let y = 0; y < H; y += 1) {
    const start = y * row;
    const end = start + row - 4;
    const up = y === 0 ? 0 : -row;
    const down = y === H - 1 ? 0 : row;
    for (let at = start; at < start + 4; at += 1) pixel(at, up, down, 0, 4);
    for (let at = start + 4; at < end; at += 1)
      result[at] = 5 * image[at]! - image[at + up]! - image[at + down]! - image[at - 4]! - image[at + 4]!;
    for (let at = end; at < end + 4; at += 1) pixel(at, up, down, -4, 0);
  }
}
