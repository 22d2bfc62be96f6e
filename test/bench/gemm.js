// f32 GEMM against Debian's OpenBLAS, one thread each, interleaved A B A B … in one process; and the WASM kernel against
// plain loops. Prints paired ratios with their spread. Needs `npm run build` and, for the peer, libopenblas0-pthread.
//
//     npm run bench -- --shapes 512x512x512,37x53x71 --seconds 30 --rounds 40

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, load, tune } from "../../dist/api.js";
import { compute, defineOp, reduceAxis, sum, tensor } from "../../dist/op.js";

const { values } = parseArgs({
  options: {
    shapes: { type: "string", default: "512x512x512,37x53x71" },
    targets: { type: "string", default: "native,wasm" },
    seconds: { type: "string", default: "30" },
    rounds: { type: "string", default: "40" },
  },
});

const gemm = defineOp({ M: 512, N: 512, K: 512 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
});

const folders = ["/usr/lib/x86_64-linux-gnu/openblas-pthread", "/usr/lib/x86_64-linux-gnu"];

/** cblas_sgemm of OpenBLAS with one thread, or null and a line that says how to get it. */
async function openblas() {
  const file = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .find((path) => /libopenblas\.so\.0$/.test(path));
  if (!file) {
    console.log("peer not found: OpenBLAS (apt-get install libopenblas0-pthread)");
    return null;
  }
  const { default: koffi } = await import("koffi");
  const library = koffi.load(file);
  library.func("void openblas_set_num_threads(int)")(1);
  const sgemm = library.func(
    "void cblas_sgemm(int, int, int, int, int, int, float, float *, int, float *, int, float, _Out_ float *, int)",
  );
  return ({ M, N, K }, A, B, C) => sgemm(101, 111, 111, M, N, K, 1, A, K, B, N, 0, C, N);
}

/** What people write: one sum a result, no blocking. */
function plainLoops({ M, N, K }, A, B, C) {
  for (let i = 0; i < M; i++) {
    for (let j = 0; j < N; j++) {
      let s = 0;
      for (let k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
      C[i * N + j] = s;
    }
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Milliseconds of one run, over enough runs to fill 2 ms. */
function timer(run) {
  run();
  const start = performance.now();
  run();
  const inner = Math.max(1, Math.ceil(2 / (performance.now() - start)));
  return () => {
    const begin = performance.now();
    for (let i = 0; i < inner; i++) run();
    return (performance.now() - begin) / inner;
  };
}

function pair(ours, theirs, rounds) {
  const [a, b] = [timer(ours), timer(theirs)];
  const times = Array.from({ length: rounds }, () => [a(), b()]);
  const ratios = times.map(([x, y]) => y / x).sort((x, y) => x - y);
  const at = (share) => ratios[Math.floor(share * (ratios.length - 1))];
  return {
    oursMs: median(times.map(([x]) => x)),
    peerMs: median(times.map(([, y]) => y)),
    ratio: at(0.5),
    low: at(0.1),
    high: at(0.9),
  };
}

/** Integers, so that every order of the sum gives the same bits. */
const integers = (length, span) => Float32Array.from({ length }, (_, i) => ((i * 7919) % span) - (span >> 1));

const sgemm = await openblas();
const folder = mkdtempSync(join(tmpdir(), "unplugin-kernel-bench-"));
console.log(`${cpus()[0]?.model ?? "unknown CPU"}, Node ${process.version}`);
try {
  for (const shape of values.shapes.split(",")) {
    const [M, N, K] = shape.split("x").map(Number);
    const parameters = { M, N, K };
    const flops = 2 * M * N * K;
    const [A, B] = [integers(M * K, 7), integers(K * N, 5)];
    const [C, D] = [new Float32Array(M * N), new Float32Array(M * N)];
    for (const target of values.targets.split(",")) {
      const tuned = await tune(gemm, { target, parameters, budget: { seconds: Number(values.seconds) } });
      const kernel = load(await build(gemm, tuned.schedule, { target, parameters, outDir: folder }));
      const peers = target === "wasm" ? { "plain JS loops": plainLoops } : sgemm ? { OpenBLAS: sgemm } : {};
      const rate = (tuned.measured / (tuned.elapsedMs / 1000)).toFixed(1);
      console.log(
        `${shape} ${target}: ${tuned.measured} candidates, ${tuned.failed} failed, ${(tuned.elapsedMs / 1000).toFixed(1)} s, ${rate} a second; ${tuned.schedule.template}`,
      );
      for (const [name, peer] of Object.entries(peers)) {
        kernel.call(A, B, C);
        peer(parameters, A, B, D);
        if (C.some((value, at) => value !== D[at])) throw new Error(`${shape} ${target}: results differ from ${name}`);
        const rounds = name === "OpenBLAS" ? Number(values.rounds) : 7;
        const { oursMs, peerMs, ratio, low, high } = pair(
          () => kernel.call(A, B, C),
          () => peer(parameters, A, B, D),
          rounds,
        );
        const speed = (ms) => (flops / ms / 1e6).toFixed(1);
        console.log(
          `  ${speed(oursMs)} GFLOP/s, ${name} ${speed(peerMs)}: ${ratio.toFixed(2)} × (${low.toFixed(2)} … ${high.toFixed(2)})`,
        );
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
