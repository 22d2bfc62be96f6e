import { describe, expect, it } from "vitest";
import type { EngineVariant } from "../../../src/plugin/kernel/compiled-kernel.ts";
import { summarize } from "../../../src/plugin/session/summary.ts";
import { fakeKernel } from "../../support/fake-kernel.ts";

describe("summarize", () => {
  it("is silent without kernels", () => {
    expect(summarize([], "kernels.lock.json", 3)).toBe(null);
  });

  it("is one line for a full hit", () => {
    expect(summarize([fakeKernel(), fakeKernel(), fakeKernel()], "kernels.lock.json", 9.3)).toBe(
      "3 kernels from kernels.lock.json, 0 measured, 0 compiler runs, 9 ms",
    );
  });

  it("says where the schedules for classes of engines are from", () => {
    const variant = (engine: "x86" | "arm", origin: "lock" | "predicted") => ({ engine, origin }) as EngineVariant;
    const kernels = [
      fakeKernel({ variants: [variant("arm", "predicted"), variant("x86", "lock")] }),
      fakeKernel({ variants: [variant("arm", "lock")] }),
      fakeKernel(),
    ];
    expect(summarize(kernels, "kernels.lock.json", 9)).toBe(
      "3 kernels from kernels.lock.json (for engines on x86 1 from kernels.lock.json; for engines on arm 1 from kernels.lock.json, 1 predicted), 0 measured, 0 compiler runs, 9 ms",
    );
  });

  it("says where the schedules for other processors are from, once for systems that share one", () => {
    const elsewhere = (origin: "pack" | "predicted", ...platforms: readonly string[]) =>
      fakeKernel({ elsewhere: [{ target: "neon-dot", platforms, origin, measurements: 0 }] });
    const kernels = [
      elsewhere("pack", "linux-arm64", "darwin-arm64"),
      elsewhere("predicted", "linux-arm64", "darwin-arm64"),
      elsewhere("predicted", "linux-arm64"),
    ];
    expect(summarize(kernels, "kernels.lock.json", 9)).toBe(
      "3 kernels from kernels.lock.json (for linux-arm64 and darwin-arm64 1 from a pack, 1 predicted; for linux-arm64 1 predicted), 0 measured, 0 compiler runs, 9 ms",
    );
  });

  it("counts by origin and adds up the work", () => {
    const tuned = fakeKernel({ origin: "tuned", measurements: 112, compilerRuns: 14 });
    expect(summarize([tuned, fakeKernel()], "kernels.lock.json", 41_234)).toBe(
      "2 kernels: 1 from kernels.lock.json, 1 tuned, 112 measured, 14 compiler runs, 41.2 s",
    );
    const others = { isForOtherCaches: true };
    const packed = [fakeKernel({ origin: "pack", ...others }), fakeKernel({ origin: "pack" })];
    expect(summarize([...packed, fakeKernel(others)], "kernels.lock.json", 5)).toBe(
      "3 kernels: 1 from kernels.lock.json, 2 from a pack (1 tuned for other caches), 0 measured, 0 compiler runs, 5 ms",
    );
    expect(summarize([tuned, fakeKernel({ origin: "shared" })], "kernels.lock.json", 41_234)).toBe(
      "2 kernels: 1 tuned, 1 shared, 112 measured, 14 compiler runs, 41.2 s",
    );
  });
});
