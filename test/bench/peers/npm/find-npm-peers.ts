// The packages of npm that are looked for.

import type { CpuTarget } from "../../../../src/compiler/index.ts";
import type { Found } from "../peer.ts";
import { jaxJs } from "./jax-js.ts";
import { jsLoops } from "./js-loops.ts";
import { findPackage, type NpmPeer, type Package, remedyFor } from "./npm-peer.ts";
import { numpyTs } from "./numpy-ts.ts";
import { onnxruntime } from "./onnxruntime.ts";
import { tfjs } from "./tfjs.ts";

interface Library {
  readonly name: string;
  /** The first is the one whose version counts. None: it needs nothing that is not here. */
  readonly packages: readonly string[];
  readonly codegen: CpuTarget["backend"];
  /** Null: it has no threads, or none of a number that can be chosen. */
  open(packages: readonly Package[], threads: number): Promise<NpmPeer | null>;
}

const libraries: readonly Library[] = [
  {
    name: "onnxruntime-node",
    packages: ["onnxruntime-node"],
    codegen: "c",
    open: ([found], threads) => onnxruntime(found!, "onnxruntime-node", threads),
  },
  {
    name: "onnxruntime-web",
    packages: ["onnxruntime-web"],
    codegen: "wasm",
    open: ([found], threads) => onnxruntime(found!, "onnxruntime-web", threads),
  },
  {
    name: "tfjs-backend-wasm",
    packages: ["@tensorflow/tfjs-backend-wasm", "@tensorflow/tfjs-core"],
    codegen: "wasm",
    open: ([backend, core], threads) => tfjs(backend!, core!, threads),
  },
  {
    name: "jax-js",
    packages: ["@jax-js/jax"],
    codegen: "wasm",
    open: async ([found], threads) => (threads === 1 ? jaxJs(found!) : null),
  },
  {
    name: "numpy-ts",
    packages: ["numpy-ts"],
    codegen: "wasm",
    open: async ([found], threads) => (threads === 1 ? numpyTs(found!) : null),
  },
  {
    name: "loops in JavaScript",
    packages: [],
    codegen: "wasm",
    open: async (_, threads) => (threads === 1 ? jsLoops() : null),
  },
];

/** Finds the packages that kernels of this code generator are compared with. */
export async function findNpmPeers(codegen: CpuTarget["backend"], threads: number): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const { name, packages, open } of libraries.filter((library) => library.codegen === codegen)) {
    const all = packages.map(findPackage);
    if (all.some((each) => each === null)) {
      found.push({ kind: "missing", name, remedy: remedyFor(packages) });
      continue;
    }
    const peer = await open(all as Package[], threads);
    if (peer) found.push({ kind: "found in npm", peer });
  }
  return found;
}
