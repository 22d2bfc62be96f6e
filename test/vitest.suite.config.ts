// The settings of the whole suite, as run.js runs it. Those of the repository, and four that save time where nothing is cached,
// as in CI:
//
// - All but a few files share the modules that a worker has loaded: in processes of their own a third of their time is loading the compiler
//   again. What they change of the process is put back behind them.
// - The longest files come first: one of two minutes that comes last has a core to itself while the others have nothing to do.
// - V8 may fill 64 MB with young objects before it collects them: with its 16 MB interpreters and drawn spaces take a fifth longer.
// - There is one worker more than cores: tests wait for pages, servers and deadlines for a fifth of their time, and a core is idle then.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import settings from "../vitest.config.ts";

const root = join(import.meta.dirname, "..");

/** Files of ten seconds and more in CI, the longest first, then those that take as long when it is their turn. */
const longest = [
  "test/site/site.test.ts",
  "test/e2e/hosts.test.ts",
  "test/api/gpu.test.ts",
  "test/kill/kill-builds.test.ts",
  "test/browser/tune.test.ts",
  "test/docs/adding.test.ts",
  "test/cli/commands/tune-update.test.ts",
  "test/cli/tune-batch/tune-batch.test.ts",
  "test/docs/bytes.test.ts",
  "test/native/cuda/nvrtc-processes.test.ts",
  "test/docs/recipes.test.ts",
  "test/arm/chain.test.ts",
  "test/compiler/intrinsic/amx.test.ts",
  "test/compiler/intrinsic/chain.test.ts",
  "test/gpu/lavapipe/subgroup-matrices.test.ts",
  "test/cli/commands/tune-failure.test.ts",
  "test/cli/commands/commands.test.ts",
  "test/api/constants.test.ts",
  "test/cli/verify/engines.test.ts",
  "test/property/drawn-operators.test.ts",
  "test/compiler/cuda/threads.test.ts",
  "test/gpu/sweep/ptx-on-cpu.test.ts",
  "test/property/oracle-chain.test.ts",
  "test/api/check.test.ts",
  "test/compiler/codegen/wgsl/drawn.test.ts",
  "test/browser/kernels.test.ts",
  "test/tuner/support/time-limit.test.ts",
  "test/tuner/space/thread-tiles.test.ts",
  "test/compiler/codegen/wgsl/naga.test.ts",
  "test/native/addon/build.test.ts",
  "test/gpu/sweep/cuda-on-cpu.test.ts",
  "test/native/toolchain/deadline.test.ts",
  "test/property/engine-chain.test.ts",
  "test/fleet/command-line.test.ts",
  "test/e2e/mode-off.test.ts",
  "test/sweep/fuzz/fuzz.test.ts",
  "test/native/webgpu/tune.test.ts",
  "test/gpu/sweep/further.test.ts",
  "test/api/tune-all.test.ts",
  "test/plugin/remote/failures.test.ts",
  "test/cli/flags/typed-values.test.ts",
  "test/property/shared-values.test.ts",
  "test/tuner/space/shared-values.test.ts",
  "test/cli/decisions/remote.test.ts",
  "test/tuner/space/rule/tile-registers.test.ts",
  "test/site/playground.test.ts",
  "test/plugin/entries/nuxt.test.ts",
  "test/api/strategy.test.ts",
  "test/tuner/record/kill.test.ts",
  "test/tuner/space/launch-arrays.test.ts",
  "test/tuner/space/algorithm/winograd.test.ts",
  "test/sweep/gc/gc.test.ts",
  "test/compiler/ir/planted-races.test.ts",
  "test/e2e/package.test.ts",
  "test/e2e/deterministic.test.ts",
  "test/compiler/cuda/machine-code.test.ts",
  "test/browser/hosts.test.ts",
  "test/browser/webgpu.test.ts",
  "test/compiler/expr/diagnostics.test.ts",
  "test/plugin/cuda.test.ts",
  "test/native/addon/c-libraries.test.ts",
  "test/e2e/one-failure.test.ts",
  "test/compiler/codegen/wgsl/byte-dots.test.ts",
  "test/cli/flags/bad-input.test.ts",
  "test/tuner/space/generate.test.ts",
  "test/plugin/hooks/quiet-timings.test.ts",
  "test/e2e/tuning.test.ts",
  "test/browser/dev-measures.test.ts",
  "test/e2e/register.test.ts",
  "test/plugin/support/fail-alone.test.ts",
  "test/plugin/kernel/signed/signed-artifact.test.ts",
  "test/plugin/cuda-device.test.ts",
  "test/plugin/kernel/tuning/planted.test.ts",
  "test/e2e/foreign-store.test.ts",
  "test/plugin/declarations/declarations.test.ts",
  "test/e2e/builds-at-once.test.ts",
  "test/plugin/kernel/lock/fall-back.test.ts",
  "test/cli/doctor/pipes.test.ts",
  "test/tuner/search/strategy/strategies.test.ts",
  "test/plugin/kernel/compile/addons-elsewhere.test.ts",
  "test/plugin/kernel/outside/other-caches.test.ts",
  "test/e2e/tuning-interrupt.test.ts",
  "test/tuner/tuning/tune.test.ts",
  "test/e2e/tuning-shapes.test.ts",
  "test/tuner/space/rule/merge-consumer.test.ts",
  "test/tuner/space/tensor-cores.test.ts",
  "test/tuner/space/parts.test.ts",
  "test/compiler/codegen/wgsl/operators.test.ts",
  "test/apps/semantic-search.test.ts",
  "test/plugin/binding/packable.test.ts",
  "test/browser/dev.test.ts",
  "test/tuner/space/thread-tiles-library.test.ts",
  "test/native/cuda/ptx.test.ts",
  "test/cli/decisions/push-signed.test.ts",
  "test/apps/image-filter.test.ts",
  "test/sweep/builds/drawn-builds.test.ts",
  "test/browser/engine-class.test.ts",
  "test/cli/decisions/signed-decisions.test.ts",
  "test/tuner/lock/lock-processes.test.ts",
  "test/tuner/space/tensor-core-bytes.test.ts",
  "test/accelerator/plugin.test.ts",
  "test/plugin/trust/outside-decision.test.ts",
  "test/plugin/kernel/decision/decide-schedule.test.ts",
  "test/e2e/remote/servers.test.ts",
  "test/plugin/webgpu.test.ts",
  "test/cli/pack/pack.test.ts",
  "test/e2e/packed.test.ts",
  "test/arm/inner-loops.test.ts",
  "test/arm/plugin.test.ts",
].map((file) => join(root, file));

/** Place among the longest; those that are not have the last. */
function placeOf({ moduleId }: TestSpecification): number {
  const at = longest.indexOf(moduleId);
  return at < 0 ? longest.length : at;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Files of a project stay together: a worker keeps its modules only if the next file shares them.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return sorted.sort((a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || placeOf(a) - placeOf(b));
  }
}

/** Files that would disturb others in their process, or be disturbed by them. */
const alone = [
  // Modules that they replace would be other ones for the next file too.
  "test/cli/doctor/store-place.test.ts",
  "test/cli/flags/bad-input.test.ts",
  "test/native/file/rename-over.test.ts",
  "test/plugin/binding/webgpu.test.ts",
  "test/plugin/entries/entries.test.ts",
  "test/plugin/kernel/check/{fresh-build,shared-checks}.test.ts",
  // What V8 has by default is theirs to say, and flags that another file sets stay.
  "test/arm/plugin.test.ts",
  "test/cli/bench/browser/bench-page.test.ts",
  "test/e2e/register.test.ts",
  "test/native/limits/machine-limits.test.ts",
  "test/plugin/binding/binding.test.ts",
  // They count calls, or have garbage collected: both take as long as a process has loaded much.
  "test/plugin/cuda-device.test.ts",
  "test/plugin/remote/remote-store.test.ts",
  "test/plugin/runtime/calls.test.ts",
  "test/sweep/fuzz/doors.test.ts",
  // Signals and listeners of the process are what they test.
  "test/native/runner/runner-wasm.test.ts",
  "test/plugin/background/background-tuner.test.ts",
  "test/plugin/build/interrupt.test.ts",
];
const { include = [], exclude = [], ...shared } = settings.test!;

export default defineConfig({
  ...settings,
  root,
  test: {
    ...shared,
    execArgv: ["--max-semi-space-size=64"],
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "own processes", include: alone, exclude } },
      {
        extends: true,
        test: {
          name: "shared modules",
          include,
          exclude: [...exclude, ...alone],
          isolate: false,
          setupFiles: [join(import.meta.dirname, "support/as-found.ts")],
        },
      },
    ],
  },
});
