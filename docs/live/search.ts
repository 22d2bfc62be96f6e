// Semantic search: how near each of many documents is to a query, and which ten are nearest.

import { type Entrant, scheduleOf, type Work, withBytes } from "./bench.ts";
import { onnx } from "./onnx.ts";
import { tfjs } from "./tfjs.ts";

const [documents, width] = [20_000, 384] as const;

export interface Found {
  readonly document: number;
  readonly score: number;
}

export interface Search extends Work {
  /** The ten documents nearest to something like one of them, and how long the query took. */
  like(document: number): { readonly found: readonly Found[]; readonly ns: number };
}

export async function openSearch(): Promise<Search> {
  const { value: scores, bytes } = await withBytes(async () => (await import("./search-kernel.ts")).default);
  const { A: vectors, x: query, y: score } = scores.buffers();
  fillWithEmbeddings(vectors);
  setQuery(query, vectors, 4711);
  const kernel: Entrant = {
    name: "unplugin-kernel",
    bytes,
    run: () => void scores(vectors, query, score),
    output: () => score,
  };
  const plainScore = new Float32Array(documents);
  const plain: Entrant = {
    name: "plain JavaScript",
    bytes: 0,
    run: () => scorePlainly(vectors, query, plainScore),
    output: () => plainScore,
  };
  return {
    what: `${documents.toLocaleString("en")} documents of ${width} numbers, one query`,
    schedule: scheduleOf(scores.info),
    entrants: [kernel, plain],
    // The documents are constants of both, as weights of a model are, and lie as each of them is fastest with: the query has to stand on
    // the left for their constants to be packed once. With the documents on the left a query takes several times as long.
    libraries: [
      onnx(() => ({
        constants: [{ name: "A", shape: [documents, width], data: vectors }],
        inputs: [{ name: "x", shape: [1, width], data: query }],
        nodes: [{ op: "Gemm", inputs: ["x", "A"], output: "y", attributes: { transB: 1 } }],
        output: { name: "y", shape: [1, documents] },
      })),
      tfjs(() => ({
        constants: [{ shape: [width, documents], data: transposed(vectors) }],
        inputs: [{ shape: [1, width], data: query }],
        compute: (tf, [columns], [x]) => tf.matMul(x!, columns!),
      })),
    ],
    like(document) {
      setQuery(query, vectors, document);
      const start = performance.now();
      scores(vectors, query, score);
      const found = largest(score, 10);
      return { found, ns: (performance.now() - start) * 1e6 };
    },
  };
}

/** Four sums at once: a processor does not wait for one product to add the next. */
function scorePlainly(vectors: Float32Array, query: Float32Array, score: Float32Array): void {
  for (let i = 0; i < documents; i += 1) {
    const row = i * width;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let k = 0; k < width; k += 4) {
      a += vectors[row + k]! * query[k]!;
      b += vectors[row + k + 1]! * query[k + 1]!;
      c += vectors[row + k + 2]! * query[k + 2]!;
      d += vectors[row + k + 3]! * query[k + 3]!;
    }
    score[i] = a + b + (c + d);
  }
}

/** The documents as columns. */
function transposed(vectors: Float32Array): Float32Array {
  const columns = new Float32Array(vectors.length);
  for (let i = 0; i < documents; i += 1)
    for (let k = 0; k < width; k += 1) columns[k * documents + i] = vectors[i * width + k]!;
  return columns;
}

/** The places of the largest values, the largest first. */
function largest(values: Float32Array, count: number): readonly Found[] {
  const best: Found[] = [];
  values.forEach((score, document) => {
    if (best.length === count && score <= best.at(-1)!.score) return;
    const place = best.findIndex((other) => score > other.score);
    best.splice(place < 0 ? best.length : place, 0, { document, score });
    best.length = Math.min(best.length, count);
  });
  return best;
}

/** Numbers from -1 to 1: a linear congruential generator (Numerical Recipes, §7.1). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

function normalise(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  for (let i = 0; i < vector.length; i += 1) vector[i]! /= length;
}

/** In place of a model's: unit vectors in all directions, the same at every visit. */
function fillWithEmbeddings(vectors: Float32Array): void {
  const next = generator(1);
  for (let at = 0; at < vectors.length; at += width) {
    const vector = vectors.subarray(at, at + width);
    for (let i = 0; i < width; i += 1) vector[i] = next();
    normalise(vector);
  }
}

/** Sets the query to a half-forgotten document: its vector, and as much noise. */
function setQuery(query: Float32Array, vectors: Float32Array, document: number): void {
  const next = generator(2 ** 31 + document);
  for (let i = 0; i < width; i += 1) query[i] = next();
  normalise(query);
  for (let i = 0; i < width; i += 1) query[i]! += vectors[document * width + i]!;
  normalise(query);
}
