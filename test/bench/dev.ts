// Cost of the plugin on Vite's dev server: the first request of a page with a kernel against one with a plain module in
// its place, interleaved, each in a process and with a server of its own; and requests meanwhile, with and without a
// tuning behind them.
//
//     npm run bench:dev -- --samples 15 --seconds 8

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createServer, type ViteDevServer } from "vite";

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "15" },
    seconds: { type: "string", default: "8" },
    /** Options of a process that the bench starts: "first" or "meanwhile", the module, the folder of the app. */
    sample: { type: "string" },
    module: { type: "string", default: "" },
    root: { type: "string", default: "" },
  },
});

const kernel = "./gemm.op.ts?tune=wasm";
const native = "./gemm.op.ts?tune=avx2";
const conv = "./conv.op.ts?tune=wasm";
const plain = "./plain.js";

function writeApp(module: string): string {
  const root = mkdtempSync(join(tmpdir(), "bench-dev-"));
  mkdirSync(join(root, "src"));
  const files = {
    "index.html": '<script type="module" src="/src/main.js"></script>',
    "src/main.js": `import gemm from "${module}";\nimport "./other.js";\nglobalThis.gemm = gemm;\n`,
    "src/plain.js": "export default (A, B) => A;\n",
    "src/other.js": "export default 1;\n",
    "src/gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 256, N: 256, K: 256 });\n',
    "src/conv.op.ts":
      'import { conv2d } from "unplugin-kernel/ops";\nexport default conv2d({ H: 28, W: 28, C: 32, F: 32, KH: 3, KW: 3, padding: 1 });\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

/** Serves with the package as it is built, as a program has it. */
async function serve(root: string, hasPlugin: boolean): Promise<{ server: ViteDevServer; url: string }> {
  const { default: plugin } = await import(new URL("../vite.js", import.meta.url).href);
  const server = await createServer({
    root,
    configFile: false,
    logLevel: "silent",
    cacheDir: join(root, "vite"),
    plugins: hasPlugin ? [plugin({ logLevel: "silent", mode: "tune", cacheDir: "store" })] : [],
    server: { port: 0, host: "localhost" },
  });
  await server.listen();
  return { server, url: server.resolvedUrls!.local[0]! };
}

async function get(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for ${url}`);
  return response.text();
}

/** Requests what a browser would: the page, its script, and the modules that it imports. */
async function openPage(url: string): Promise<void> {
  await get(url);
  const main = await get(new URL("src/main.js", url).href);
  const [imported] = /(?<=from ")[^"]*(gemm|conv|plain)[^"]*(?=")/.exec(main)!;
  await get(new URL(imported, url).href);
}

interface Cost {
  readonly elapsedMs: number;
  /** Milliseconds of CPU of all threads of the process: a busy machine changes them less than the clock's. */
  readonly cpuMs: number;
}

/** No browser asks sooner after the server has said that it listens. */
const pauseMs = 500;

async function firstRequest(root: string, hasPlugin: boolean): Promise<Cost> {
  const { server, url } = await serve(root, hasPlugin);
  await sleep(pauseMs);
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  await openPage(url);
  const elapsedMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  await server.close();
  return { elapsedMs, cpuMs: (user + system) / 1000 };
}

/** Times of small requests, one after another with a pause, while a kernel is tuned or not. */
async function meanwhile(root: string, hasPlugin: boolean, seconds: number): Promise<number[]> {
  const { server, url } = await serve(root, hasPlugin);
  await openPage(url);
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  while (performance.now() < end) {
    const start = performance.now();
    await get(new URL(`src/other.js?at=${times.length}`, url).href);
    times.push(performance.now() - start);
    await sleep(20);
  }
  await server.close();
  return times;
}

function inProcess(sample: string, module: string, root: string): unknown {
  const args = ["--sample", sample, "--module", module, "--root", root, "--seconds", values.seconds];
  return JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...args], { encoding: "utf8" }));
}

const quantile = (list: readonly number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]!;

const cases = [
  { name: "a plain module", module: plain },
  { name: "a product for WASM", module: kernel },
  { name: "a convolution for WASM", module: conv },
  { name: "a product for AVX2", module: native },
] as const;

function compareFirstRequests(samples: number): void {
  const costs = cases.map((): Cost[] => []);
  for (let round = 0; round < samples; round++) {
    for (const [at, { module }] of cases.entries()) {
      const root = writeApp(module);
      costs[at]!.push(inProcess("first", module, root) as Cost);
      rmSync(root, { recursive: true });
    }
  }
  const times = costs.map((list) => list.map(({ elapsedMs }) => elapsedMs));
  const cpu = costs.map((list) =>
    quantile(
      list.map(({ cpuMs }) => cpuMs),
      0.5,
    ),
  );
  const base = quantile(times[0]!, 0.5);
  console.log(`first request, median of ${samples} servers`);
  for (const [at, { name }] of cases.entries()) {
    const [median, low, high] = [0.5, 0.1, 0.9].map((share) => quantile(times[at]!, share));
    const extra = at === 0 ? "" : `, ${(median! - base).toFixed(0)} more`;
    const spread = `(${low!.toFixed(0)} to ${high!.toFixed(0)})`;
    console.log(`  ${name.padEnd(24)} ${median!.toFixed(0)} ms ${spread}${extra}; ${cpu[at]!.toFixed(0)} ms of CPU`);
  }
}

function compareMeanwhile(): void {
  console.log(`small requests afterwards, for ${values.seconds} s`);
  for (const { name, module } of cases) {
    const root = writeApp(module);
    const times = inProcess("meanwhile", module, root) as number[];
    rmSync(root, { recursive: true });
    const [median, late, worst] = [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(1));
    console.log(`  behind ${name.padEnd(25)} median ${median} ms, 95 % ${late} ms, most ${worst} ms`);
  }
}

if (values.sample === "first" || values.sample === "meanwhile") {
  const hasPlugin = values.module !== plain;
  const result =
    values.sample === "first"
      ? await firstRequest(values.root, hasPlugin)
      : await meanwhile(values.root, hasPlugin, Number(values.seconds));
  console.log(JSON.stringify(result));
  process.exit();
} else {
  compareFirstRequests(Number(values.samples));
  compareMeanwhile();
}
