// WASM kernels whose loops threads share: right with workers and without, and workers take part.

import { execFileSync } from "node:child_process";
import binaryen from "binaryen";
import { buildSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { generateWasm, generateWat } from "../../src/compiler/index.ts";
import { loadWasm } from "../../src/native/load/load-wasm.ts";
import { openWasm } from "../../src/native/load/wasm-instance.ts";
import { patienceMs } from "../support/eventually.ts";
import { expected, input, length, parts, turning } from "./turning.ts";

const threads = 3;
const source = generateWasm(turning("turning"), { relaxed: false, threads });
const all = parts * length * 8;

test("what every part writes anew is the thread's own, what parts write apart is all threads'", () => {
  const pages = Math.ceil((3 * all + threads * length * 8) / 65_536);
  expect(source.sharing).toMatchObject({ threads, pages });
  const text = generateWat(turning("turning"), { relaxed: false, threads });
  expect(text).toContain('(func $run (export "run")\n    i32.const 0\n    i32.const 13\n    call $share\n');
  expect(text).toContain('(func $part1 (export "part1") (param i32 i32)');
  // A thread's copy of t begins so far from the next one's.
  expect(text).toContain(`i32.const ${length * 8}\n    i32.mul`);
});

test("with one thread, or without parallel loops, a module shares nothing", () => {
  expect(generateWasm(turning("turning"), { relaxed: false }).sharing).toBe(null);
  const { body, ...rest } = turning("turning");
  const serial = { ...rest, body: JSON.parse(JSON.stringify(body).replaceAll('"parallel"', '"serial"')) };
  expect(generateWasm(serial, { relaxed: false, threads }).sharing).toBe(null);
});

const slots = (memory: ArrayBufferLike): readonly Float64Array[] =>
  Array.from({ length: threads }, (_, slot) => new Float64Array(memory, 2 * all + slot * length * 8, length));

describe("workers", () => {
  test("take part, and all of them give what one thread gives", () => {
    const kernel = loadWasm(source);
    const [x, y] = kernel.buffers() as [Float64Array, Float64Array];
    x.set(input);
    const nap = new Int32Array(new SharedArrayBuffer(4));
    const haveWorked = () => slots(x.buffer).filter((own) => own.some((value) => value !== 0)).length;
    const end = performance.now() + 20_000;
    let calls = 0;
    for (; calls < 2000 || (haveWorked() < threads && performance.now() < end); calls++) {
      y.fill(Number.NaN);
      kernel.run();
      if (calls % 100 === 0) expect(y).toEqual(expected);
      else expect(y[calls % y.length]).toBe(expected[calls % y.length]);
      // On a machine with fewer cores than threads it is their turn now.
      if (calls % 100 === 99) Atomics.wait(nap, 0, 0, 1);
    }
    expect(haveWorked()).toBe(threads);
  });

  test("know many kernels", () => {
    const kernels = Array.from({ length: 12 }, () => loadWasm(source));
    for (let call = 0; call < 600; call++) {
      const y = new Float64Array(input.length);
      kernels[(call * 7) % kernels.length]!.call([input, y]);
      expect(y[call]).toBe(expected[call]);
    }
  });
});

/** The functions that threads are started with, as a bundle has them. */
const threadsText = buildSync({
  stdin: {
    contents: `export { openShared, asShareable } from "./wasm-threads.ts"; export { startWorker } from "../process/start-worker.ts";`,
    resolveDir: "src/native/load",
  },
  bundle: true,
  write: false,
  format: "esm",
  external: ["node:*"],
}).outputFiles[0]!.text.replace(/export \{[^}]*\};\s*$/, "");

/** Output of a program in a process of its own, which has `openKernel`, `asShareable`, `bytes`, `sharing`, `input` and `output`. */
function printed(program: string, { flags = [], before = "" }: { flags?: readonly string[]; before?: string } = {}) {
  const { bytes, sharing } = source;
  const text = `${threadsText}${before}
    const text = process.getBuiltinModule?.("node:fs").readFileSync("dist/kernel-worker.js", "utf8");
    const openKernel = (module, sharing) => openShared(module, sharing, (...given) => startWorker({ text }, ...given));
    const bytes = Uint8Array.from(Buffer.from("${Buffer.from(bytes).toString("base64")}", "base64"));
    const sharing = ${JSON.stringify(sharing)};
    const input = (memory) => new Float64Array(memory.buffer, 0, ${parts * length});
    const output = (memory) => new Float64Array(memory.buffer, ${all}, ${parts * length});
    ${program}`;
  return execFileSync(process.execPath, [...flags, "--input-type=module", "-e", text], {
    encoding: "utf8",
    timeout: patienceMs,
  }).trim();
}

describe("a program", () => {
  const once = `
    const { memory, run, isReady } = openKernel(new WebAssembly.Module(asShareable(bytes, sharing.flagAt)), sharing);
    input(memory).fill(3);
    run();
    console.log(memory.buffer.constructor.name, output(memory).every((it) => it === 6));`;

  test("ends though workers are there", () => {
    expect(printed(once)).toBe("SharedArrayBuffer true");
  });

  test("without SharedArrayBuffer runs the same module on one thread", () => {
    expect(printed(once, { before: "delete globalThis.SharedArrayBuffer;" })).toBe("ArrayBuffer true");
  });

  test("that may start no workers goes on without", () => {
    const before = `process.getBuiltinModule = undefined; globalThis.Worker = class { constructor() { throw new Error("no"); } };`;
    expect(printed(once, { before })).toBe("SharedArrayBuffer true");
  });

  test("may open any number of kernels one after another, where it collects now and then", () => {
    const program = `
      const module = new WebAssembly.Module(bytes);
      (async () => {
        let right = 0;
        for (let at = 0; at < 600; at++) {
          const { memory, run } = openKernel(module, sharing);
          input(memory).fill(at);
          run();
          right += output(memory)[at] === 2 * at;
          if (at % 32 === 31) gc();
          await new Promise((resolve) => setImmediate(resolve));
        }
        console.log(right);
      })();`;
    expect(printed(program, { flags: ["--expose-gc"] })).toBe("600");
  });
});

test("a part that traps is an error of the call, whoever ran it, and the next call is right", () => {
  const module = binaryen.parseText(`(module
    (import "kernel" "memory" (memory 1 65536 shared))
    (import "kernel" "share" (func $share (param i32 i32)))
    (func (export "run") (call $share (i32.const 0) (i32.const 1000)))
    (func (export "part0") (param i32 i32)
      (if (i32.and (i32.load (i32.const 64)) (i32.eq (i32.const 500) (local.get 0))) (then (unreachable)))))`);
  module.setFeatures(binaryen.Features.Atomics);
  const bytes = new Uint8Array(module.emitBinary());
  module.dispose();
  const { memory, run } = openWasm({ bytes, sharing: { threads, pages: 1, flagAt: 0 } });
  const fails = new Int32Array(memory.buffer, 64, 1);
  for (let call = 0; call < 200; call++) {
    fails[0] = call % 2;
    if (call % 2 === 1) expect(run).toThrow(WebAssembly.RuntimeError);
    else run();
  }
});
