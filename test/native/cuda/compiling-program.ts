// A program for tests that compiles texts, each for about a second with NVRTC: as many as its arguments say, without end by default. It says
// when it has begun. Its compiler waits for a further text much longer than a test does.
//
//     node compiling-program.mjs <library> [<how many>]

import { nvrtcProcesses } from "../../../src/native/cuda/nvrtc-processes.ts";

const [library = "", most = "Infinity"] = process.argv.slice(2);
const { compile } = nvrtcProcesses(library, { lingerMs: 600_000 });
console.log("compiling");
for (let round = 0; round < Number(most); round++) {
  const steps = Array.from({ length: 4000 }, (_, at) => `  sum = sum * a[${at + round}] + ${at}.5f;`);
  const text = `extern "C" __global__ void forever(float *a) {\n  float sum = 0;\n${steps.join("\n")}\n  a[0] = sum;\n}\n`;
  await compile({ text, numerics: "fast" }, "sm_80");
}
