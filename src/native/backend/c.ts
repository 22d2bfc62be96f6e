// C sources → kernels of addons, by the C compiler.

import { type CSource, invariant } from "../../compiler/index.ts";
import type { NativeArtifact } from "../addon/artifact.ts";
import { buildEach } from "../addon/build.ts";
import type { NativeRunnable } from "../runner/protocol.ts";
import type { Executor } from "./executor.ts";

export const cExecutor: Executor<CSource> = {
  name: "c",
  async build(sources, { directory, toolchain, signal }) {
    invariant(toolchain, "who builds C has a compiler");
    const built = await buildEach(sources, { outDir: directory, toolchain, bench: true, signal });
    return built.map((it) =>
      it.kind === "built" ? { kind: "built", runnable: addonRunnable(it.artifact, it.index) } : it,
    );
  },
};

/** Makes the runner's candidate of kernel `index` of an addon. */
export const addonRunnable = ({ path, kernels }: NativeArtifact, index: number): NativeRunnable => ({
  kind: "native",
  path,
  index,
  features: kernels[index]?.features ?? [],
});
