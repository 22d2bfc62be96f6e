// One kernel against its other twins, on a GPU and off it, the plain loops and peers: each checked, then timed in rounds.

import { join } from "node:path";
import { factsOf } from "../../compiler/index.ts";
import { withPrivateDirectory } from "../../native/file/private-directory.ts";
import { createMeasureLock } from "../../native/lock/measure-lock.ts";
import { compileInContext } from "../../plugin/kernel/compile/compile-kernel.ts";
import type { CompiledKernel, Origin } from "../../plugin/kernel/compiled-kernel.ts";
import { type KernelContext, measuringPlace } from "../../plugin/kernel/context/kernel-context.ts";
import type { Absent, Entrant, NamedInputs } from "./entrant.ts";
import { emittedKernel, type Peer, peerEntrant, twinEntrant } from "./entrants.ts";
import { gpuEntrants } from "./gpu-entrants.ts";
import { type Right, rightOf } from "./right-outputs.ts";
import { type Times, timeInRounds } from "./rounds.ts";

export interface BenchRow {
  readonly name: string;
  /** Whether a program that imports the kernel gets this one here. */
  readonly isBound: boolean;
  /** Why it was not measured: it cannot run here, or its results are wrong; null: it was. */
  readonly why: string | null;
  /** Whether its results are right; null: it did not run. */
  readonly isRight: boolean | null;
  readonly times: Times | null;
  readonly gflops: number | null;
}

export interface KernelBench {
  readonly origin: Origin;
  readonly flops: number;
  readonly rows: readonly BenchRow[];
}

export interface BenchOptions {
  readonly seconds: number;
  readonly peers: readonly Peer[];
}

/**
 * @param context with the decision that is to be measured
 * @param plain the same in mode `off`
 */
export function benchKernel(
  context: KernelContext,
  plain: KernelContext,
  { seconds, peers }: BenchOptions,
): Promise<KernelBench> {
  return withPrivateDirectory(async (directory) => {
    const { op } = context.task;
    const kernel = await compileInContext(context);
    const right = rightOf(context.task, kernel);
    const inputs: NamedInputs = new Map(op.inputs.map(({ name }, at) => [name, right.inputs[at]!]));
    const loops = await compileInContext(plain);
    const emitted = await emittedKernel(kernel, join(directory, "bound"));
    const bound = emitted.info.twin;
    const all = [
      ...(await gpuEntrants(kernel, emitted, inputs, context.services.options.root)),
      ...(await entrantsOf({ kernel, loops, peers, inputs, directory })),
    ];
    const problems = new Map<Entrant | Absent, string | null>();
    for (const it of all) problems.set(it, await problemOf(it, right));
    const running = all.filter((it): it is Entrant => "call" in it && problems.get(it) === null);
    const lock = createMeasureLock(measuringPlace(context.services));
    const measured = await lock.alone(() => timeInRounds(running, { seconds }));
    const times = new Map<Entrant | Absent, Times>(running.map((entrant, at) => [entrant, measured[at]!]));
    const { flops } = factsOf(op);
    const rows = all.map((it): BenchRow => {
      const [own = null, why = null] = [times.get(it), problems.get(it)];
      const isRight = "why" in it ? null : why === null;
      return {
        name: it.name,
        isBound: it.name === bound,
        why,
        isRight,
        times: own,
        gflops: own && flops / own.medianNs,
      };
    });
    return { origin: kernel.origin, flops, rows };
  });
}

interface Setting {
  readonly kernel: CompiledKernel;
  readonly loops: CompiledKernel;
  readonly peers: readonly Peer[];
  readonly inputs: NamedInputs;
  /** Folder that modules are written to. */
  readonly directory: string;
}

async function entrantsOf({
  kernel,
  loops,
  peers,
  inputs,
  directory,
}: Setting): Promise<readonly (Entrant | Absent)[]> {
  const all: (Entrant | Absent | null)[] = [];
  for (const twin of ["native", "wasm-relaxed", "wasm"] as const)
    all.push(await twinEntrant(kernel, twin, inputs, join(directory, twin)));
  all.push(await twinEntrant(loops, "reference", inputs, join(directory, "reference")));
  for (const peer of peers) all.push(await peerEntrant(peer, kernel, inputs));
  return all.filter((it) => it !== null);
}

/** Says what is wrong with an entrant's results; null: it computes what the reference does. */
async function problemOf(entrant: Entrant | Absent, right: Right): Promise<string | null> {
  if ("why" in entrant) return entrant.why;
  // Wrong in every element: what is not written is seen.
  for (const [at, { sentinel }] of right.outputs.entries()) (entrant.outputs[at]! as Float64Array).set(sentinel);
  try {
    await (entrant.checked ?? entrant.call)();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return right.problemOf(entrant.outputs);
}
