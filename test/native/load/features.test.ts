// Features of the CPU as an addon tells them: those that the system says, of all that a target of x64 wants.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Architecture, architectureOf, generateC, needsToolchain, targets } from "../../../src/compiler/index.ts";
import { buildNative } from "../../../src/native/addon/build.ts";
import { loadNative } from "../../../src/native/load/load-native.ts";
import { cpuFeatures } from "../../../src/native/machine/cpu-features.ts";
import { packedGemm } from "../../compiler/codegen/c/flat-functions.ts";
import { eachCompiler, inTempDir } from "../compiled.ts";

const product = packedGemm({ m: 4, n: 16, k: 4 }, { mr: 2, nr: 16, lanes: 8 });
/** All that targets of a family of processors want. */
const wantedOn = (family: Architecture): readonly string[] => {
  const own = Object.values(targets).filter((it) => needsToolchain(it) && architectureOf(it.features) === family);
  return [...new Set(own.flatMap(({ features }) => features))].sort();
};
const wanted = wantedOn("x64");

test("an addon knows all that targets want, on this CPU or not", () => {
  const text = readFileSync("src/native/load/features.c", "utf8");
  expect([...text.matchAll(/\{"([\w-]+)", [17], /g)].map(([, name]) => name).sort()).toEqual(wanted);
});

test("an addon for Windows on ARM knows all that its targets want", () => {
  const text = readFileSync("src/native/load/features-arm.c", "utf8");
  expect([...text.matchAll(/\{"(\w+)", \d+\}/g)].map(([, name]) => name).sort()).toEqual(wantedOn("arm64"));
});

eachCompiler("features that an addon tells", ({ toolchain }) => {
  test("are those of the system", async () => {
    await inTempDir(async (outDir) => {
      const source = generateC(product, targets.avx2, { numerics: "fast" });
      const built = await buildNative([source], { outDir, toolchain, bench: true });
      if (built.kind !== "native") throw new Error(built.reason);
      const loaded = loadNative(built.path, { features: source.features });
      if (loaded.kind !== "loaded") throw new Error(loaded.reason);
      const { features } = loaded.kernels as unknown as { features(): readonly string[] };
      const here = cpuFeatures();
      expect([...features()].sort()).toEqual(wanted.filter((feature) => here.includes(feature)));
    });
  });
});
