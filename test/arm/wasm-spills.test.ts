// The predicted register tile for engines on ARM is held in registers by V8, as its optimising tier prints the code that it makes: more
// sums than x86 has registers, and none of them goes through memory in the innermost loop.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import { instantiate, isWasmSource, targets } from "../../src/compiler/index.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { predict } from "../../src/tuner/search/predict.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { writeApp } from "../support/build-app.ts";
import { armSkipNote, armSkipReason, runArmNode } from "./arm-node.ts";

/** The module of a predicted product of matrices. */
function moduleFor(target: (typeof targets)["wasm"]): Uint8Array {
  const op = instantiate(gemm, { M: 256, N: 256, K: 256 }, "gemm");
  const task = { op, target, numerics: "fast", threads: 1 } as const;
  const space = generateSpace(task);
  const kernel = candidateKernel(task, space, predict(space)!);
  if (kernel.kind !== "ok" || !isWasmSource(kernel.source)) throw new Error("the predicted schedule is legal");
  return kernel.source.bytes;
}

/** The shortest loop with vector arithmetic of V8's listing: its instructions. */
function innermostOf(listing: string): readonly string[] {
  const lines = [...listing.matchAll(/^0x([0-9a-f]+) +[0-9a-f]+ +[0-9a-f]{8} +(.*)$/gm)];
  const code = lines.map(([, address, text]) => ({ address: Number.parseInt(address!, 16), text: text! }));
  const loops = code.flatMap(({ address, text }, end) => {
    const to = Number.parseInt(/^(?:c?b|tb).*\(addr 0x([0-9a-f]+)\)/.exec(text)?.[1] ?? "", 16);
    const start = to <= address ? code.findIndex((it) => it.address === to) : -1;
    const body = start < 0 ? [] : code.slice(start, end + 1).map((it) => it.text);
    return body.some((it) => /^fadd v.*\.4s/.test(it)) ? [body] : [];
  });
  return loops.sort((a, b) => a.length - b.length)[0] ?? [];
}

describe.skipIf(armSkipReason)(`V8 on ARM${armSkipNote}`, () => {
  test("keeps a predicted tile of more than 15 sums in its registers", async () => {
    const root = writeApp({
      "run.mjs": `import { readFileSync } from "node:fs";
        const bytes = readFileSync(new URL("gemm.wasm", import.meta.url));
        new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.run();`,
    });
    writeFileSync(join(root, "gemm.wasm"), moduleFor(targets["wasm-arm"]));
    const { stdout, stderr, status } = await runArmNode(["--no-liftoff", "--print-wasm-code", join(root, "run.mjs")]);
    expect(status, stderr).toBe(0);
    const body = innermostOf(stdout);
    const sums = body.filter((it) => /^fadd v.*\.4s/.test(it)).length;
    const spills = body.filter((it) => /^(ld|st)u?[rp] [qd].*\[(sp|fp)/.test(it));
    expect(sums).toBeGreaterThan(targets["wasm-x86"].vectorRegisters);
    expect(spills).toEqual([]);
  });
});
