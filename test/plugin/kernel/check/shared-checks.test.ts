// The process in which a build runs what it has just built: one for all kernels, gone with the last, and no kernel suffers from another.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { skipReason } from "../../../native/compiled.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, type CompileCase, compileIn, gemmText } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { nativeOf } from "../../../support/parts-of.ts";
import { gcc, plantCompiler } from "../artifacts/plant-compiler.ts";

const turn = inTurn(4);

const { started } = vi.hoisted(() => ({ started: [] as number[] }));
vi.mock("../../../../src/native/runner/worker-process.ts", async (original) => {
  const real = await original<typeof import("../../../../src/native/runner/worker-process.ts")>();
  const startMeasuringProcess: typeof real.startMeasuringProcess = async (options) => {
    const process = await real.startMeasuringProcess(options);
    started.push(process.pid);
    return process;
  };
  return { startMeasuringProcess };
});

beforeEach(() => void started.splice(0));
afterEach(() => void vi.unstubAllEnvs());

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** An app with two operators: that of the usual requests, and its double. */
const writeBoth = (): string =>
  writeApp({ "src/gemm.op.ts": gemmText(), "src/double.op.ts": gemmText({ twice: true }) });

const native = (root: string, { request, ...more }: CompileCase = {}) =>
  compileIn(root, { request: { target: "avx2", ...request }, options: { mode: "predict" }, ...more });

/** Lines of a planted compiler that builds the double with more code, and everything else as it is. */
const onlyTheDouble = (code: string): string => `if ! grep -q "double" kernels.c; then exec ${gcc} "$@"; fi
cat > more.c <<'END'
${code}
END
exec ${gcc} "$@" more.c`;

describe.skipIf(!gcc)(`kernels of one build${gcc ? "" : ` (${skipReason ?? "no gcc"})`}`, () => {
  turn("are checked in one process, which is gone when the last is compiled", async () => {
    const [root, tunings] = [writeBoth(), buildTunings()];
    const sizes = [8, 9, 10, 11];
    const kernels = await Promise.all(
      sizes.map(async (M) => {
        const { kernel, warnings } = await native(root, { tunings, request: { parameters: { M } } });
        return [nativeOf(kernel) !== null, warnings];
      }),
    );
    expect(kernels).toEqual(sizes.map(() => [true, []]));
    expect(started).toHaveLength(1);
    expect(started.filter(isAlive)).toEqual([]);
  });

  turn("do not suffer from a crash of another", async () => {
    plantCompiler(onlyTheDouble("__attribute__((constructor)) static void crash(void) { __builtin_trap(); }"));
    const [root, tunings] = [writeBoth(), buildTunings()];
    const opFile = join(root, "src/double.op.ts");
    const [crashing, ...right] = await Promise.all([
      native(root, { tunings, request: { opFile } }),
      ...[8, 9, 10].map((M) => native(root, { tunings, request: { parameters: { M } } })),
    ]);
    expect([nativeOf(crashing.kernel), crashing.warnings]).toEqual([
      null,
      [expect.stringContaining("built an addon that crashes: ")],
    ]);
    expect(right.map(({ kernel, warnings }) => [nativeOf(kernel) !== null, warnings])).toEqual(
      right.map(() => [true, []]),
    );
    expect(started.filter(isAlive)).toEqual([]);
  });

  turn("are not refused for what another has done to the process", async () => {
    // No file can be opened any more, so no addon loaded.
    plantCompiler(
      onlyTheDouble(`#include <sys/resource.h>
__attribute__((constructor)) static void close_all(void) { struct rlimit none = { 0, 0 }; setrlimit(RLIMIT_NOFILE, &none); }`),
    );
    const [root, tunings] = [writeBoth(), buildTunings()];
    const opFile = join(root, "src/double.op.ts");
    await tunings.checks.during(async () => {
      expect(nativeOf((await native(root, { tunings, request: { opFile } })).kernel)).not.toBeNull();
      const { kernel, warnings } = await native(root, { tunings });
      expect([nativeOf(kernel) !== null, warnings]).toEqual([true, []]);
      // The process that they share, and one of its own for the kernel that could not be loaded there.
      expect(started.map(isAlive)).toEqual([true, false]);
    });
    expect(started.filter(isAlive)).toEqual([]);
  });

  turn("are each held to their own answers", async () => {
    const [root, tunings] = [writeBoth(), buildTunings()];
    // The double's file computes the double, but its code the product alone.
    plantCompiler(`grep -q "double" kernels.c && sed -i 's/2\\.0f\\?/1.0f/g; s/0x1p+1f\\?/1.0f/g' kernels.c
exec ${gcc} "$@"`);
    const opFile = join(root, "src/double.op.ts");
    const [wrong, right] = await Promise.allSettled([
      native(root, { tunings, request: { opFile } }),
      native(root, { tunings }),
    ]);
    expect(wrong).toMatchObject({ status: "rejected", reason: { diagnostic: { code: "verify.wrong" } } });
    expect(right).toMatchObject({ status: "fulfilled", value: { warnings: [] } });
    expect(started.filter(isAlive)).toEqual([]);
  });
});
