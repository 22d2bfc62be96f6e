// Libraries of npm that compute by WebGPU, as their users call them: tfjs and jax-js, whose packages are looked for under out/peers.

import { findPackage, type Package, remedyFor } from "../peers/npm/npm-peer.ts";
import type { GpuPeer } from "./entrant.ts";
import { jaxOnGpu } from "./jax-js.ts";
import { tfjsOnGpu } from "./tfjs.ts";

interface Library {
  /** The first is the one whose version counts. */
  readonly packages: readonly string[];
  open(packages: readonly Package[]): Promise<GpuPeer>;
}

const libraries: readonly Library[] = [
  {
    packages: ["@tensorflow/tfjs-backend-webgpu", "@tensorflow/tfjs-core"],
    open: ([backend, core]) => tfjsOnGpu(backend!, core!),
  },
  { packages: ["@jax-js/jax"], open: ([found]) => jaxOnGpu(found!) },
];

/** Opens what is installed; `missing` are the commands that install the others. */
export async function findGpuPeers(): Promise<{
  readonly peers: readonly GpuPeer[];
  readonly missing: readonly string[];
}> {
  const peers: GpuPeer[] = [];
  const missing: string[] = [];
  for (const { packages, open } of libraries) {
    const found = packages.map(findPackage);
    if (found.some((it) => it === null)) missing.push(remedyFor(packages));
    else peers.push(await open(found as Package[]));
  }
  return { peers, missing };
}
