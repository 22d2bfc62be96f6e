// An addon for Linux names no C library, so that one file runs wherever Node does: built beside the newest glibc it is loaded by an older one,
// and by musl (Alpine).

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { type CSource, generateC, targets } from "../../../src/compiler/index.ts";
import type { LoopFunc } from "../../../src/compiler/ir/loop-ir.ts";
import { buildNative } from "../../../src/native/addon/build.ts";
import { findOnPath } from "../../../src/native/toolchain/on-path.ts";
import { partialMoves } from "../../compiler/codegen/c/partial-moves.ts";
import { randomFlat } from "../../compiler/codegen/wasm/random-flat.ts";
import { inTurn } from "../../support/long.ts";
import { eachCompiler, inTempDir } from "../compiled.ts";
import { expected, input, turning } from "../turning.ts";

const turn = inTurn(3);

const musl = findOnPath("musl-gcc", process.env.PATH ?? "")?.path ?? null;
const threads = 2;
const sourceOf = (func: LoopFunc): CSource => generateC(func, { ...targets.avx2, threads }, { numerics: "strict" });

/** Compiles the program that stands for Node into the folder and runs it. */
function runOnMusl(folder: string, addon: string, length: number): string {
  const program = join(folder, "node-on-musl");
  const source = fileURLToPath(new URL("node-on-musl.c", import.meta.url));
  execFileSync(musl!, ["-rdynamic", "-w", source, "-o", program]);
  return execFileSync(program, [addon, String(length)], { encoding: "utf8" });
}

eachCompiler("an addon for Linux", ({ toolchain }) => {
  const addonOf = async (sources: readonly CSource[], outDir: string): Promise<string> => {
    const built = await buildNative(sources, { outDir, toolchain, timeoutMs: 600_000 });
    if (built.kind !== "native") throw new Error(built.reason);
    return built.path;
  };

  const isLinux = process.platform === "linux";
  turn.skipIf(!isLinux)(`needs no library${isLinux ? "" : " (only Linux has such addons)"}`, () =>
    inTempDir(async (outDir) => {
      const addon = await addonOf([sourceOf(turning("turning"))], outDir);
      const dynamic = execFileSync("readelf", ["-dVW", addon], { encoding: "utf8" });
      expect(dynamic).not.toMatch(/NEEDED|GLIBC_/);
    }),
  );

  describe.skipIf(musl === null)(`on musl${musl === null ? " (no musl-gcc)" : ""}`, () => {
    turn("answers, by threads", () =>
      inTempDir(async (outDir) => {
        const addon = await addonOf([sourceOf(turning("turning"))], outDir);
        const answer = JSON.parse(runOnMusl(outDir, addon, input.length));
        expect(answer).toEqual({ threads, y: [...expected] });
      }),
    );

    turn("finds all functions that kernels call", () =>
      inTempDir(async (outDir) => {
        const drawn = fc.sample(
          fc.gen().map((gen) => randomFlat(gen)),
          { numRuns: 30, seed: 11 },
        );
        const functions = [...drawn, ...partialMoves().map(({ func }) => func)];
        runOnMusl(outDir, await addonOf(functions.map(sourceOf), outDir), 0);
      }),
    );
  });
});
