// Kernels in the engines of browsers: a page that Vite has built with the plugin, served with the headers that pages have.

import { join } from "node:path";
import { build, type InlineConfig } from "vite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Headers, isolation, type PageServer, serveFolder } from "../support/browser.ts";
import { outputFiles, writeApp } from "../support/build-app.ts";
import type { PageOptions, RunningEngine } from "../support/engine/engine.ts";
import { inEngineInTurn } from "../support/engine/engines.ts";
import { type Feature, saw } from "../support/engine/saw.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { type OpenPage, openPage } from "../support/page.ts";

const app = {
  "index.html": '<!doctype html><link rel="icon" href="/icon.svg"><script type="module" src="/src/main.js"></script>',
  "public/icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  "src/gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 24, N: 40, K: 16 });\n',
  "src/double.op.ts": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
    export default defineOp({ n: 64, dtype: "f16" }, ({ n, dtype }) => {
      const A = tensor("A", [n], dtype);
      return compute("B", [n], (i) => A(i).add(A(i)).cast(dtype));
    });`,
  "src/main.js": `
    import halves from "./double.op.ts?tune=wasm";
    import bytes from "./double.op.ts?tune=wasm&dtype=u8";
    import inlined from "./gemm.op.ts?tune=wasm";
    import file from "./gemm.op.ts?tune=wasm&M=25&sync=0";
    import threaded from "./gemm.op.ts?tune=wasm&M=96&N=64&K=48&threads=2";
    import slow from "./gemm.op.ts?tune=wasm&M=1024&N=1024&K=2048";
    globalThis.kernels = { inlined, file, threaded, slow, halves, bytes };
    // Small integers: every order of the sum gives the same bits.
    globalThis.inputsOf = ({ info }) => {
      const { M, N, K } = info.parameters;
      const integers = (length, salt) => Float32Array.from({ length }, (_, at) => ((at * 7 + salt) % 11) - 5);
      return [integers(M * K, 1), integers(K * N, 2)];
    };
    globalThis.wrongOf = ({ info }, A, B, C) => {
      const { M, N, K } = info.parameters;
      let wrong = 0;
      for (let i = 0; i < M; i++) for (let j = 0; j < N; j++) {
        let sum = 0;
        for (let k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
        if (C[i * N + j] !== sum) wrong += 1;
      }
      return C.length === M * N ? wrong : "another length";
    };`,
};

const policies = ["script-src 'self' 'wasm-unsafe-eval'", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"];

const root = writeApp(app);

beforeAll(async () => {
  const options = { logLevel: "silent", mode: "predict" } as const;
  const settings = {
    configFile: false,
    logLevel: "silent" as const,
    plugins: [kernelPlugin.vite(options)],
  } satisfies InlineConfig;
  await build({ root, ...settings, build: { outDir: "out" } });
});

describe("a page with kernels", () => {
  it("has one script of workers for all kernels, and a file for what is to be one", () => {
    expect(outputFiles(root)).toEqual([
      expect.stringMatching(/^assets\/gemm-.*\.wasm$/),
      expect.stringMatching(/^assets\/gemm-.*\.wasm$/),
      expect.stringMatching(/^assets\/index-.*\.js$/),
      expect.stringMatching(/^assets\/kernel-worker-.*\.js$/),
      "icon.svg",
      "index.html",
    ]);
  });
});

/** A twin of plain SIMD answers where the engine has no relaxed SIMD, and says so. */
const twins = {
  Chromium: ["wasm-relaxed", null],
  Firefox: ["wasm-relaxed", null],
  WebKit: ["wasm", "the engine has no relaxed SIMD"],
} as const;

inEngineInTurn("kernels in", ({ name, launch }) => {
  const opened: { readonly server: PageServer; readonly open: OpenPage }[] = [];
  const [twin, twinReason] = twins[name];
  let engine: RunningEngine;

  beforeAll(async () => {
    engine = await launch();
  });
  afterEach(async () => {
    for (const { server, open } of opened.splice(0)) {
      await open.page.close();
      await server.close();
    }
  });
  afterAll(() => engine?.close());

  async function open(headers: Parameters<typeof serveFolder>[1] = {}, options: PageOptions = {}): Promise<OpenPage> {
    const server = await serveFolder(join(root, "out"), headers);
    const open = await openPage(engine, server.url, options);
    opened.push({ server, open });
    return open;
  }

  const evaluate = <T>({ page }: OpenPage, body: string): Promise<T> =>
    page.evaluate(`(async () => { const { inlined, file, threaded, slow, halves, bytes } = kernels; ${body} })()`);

  const recordOf = (feature: Feature, answer: string) => ({ engine: name, version: engine.version, feature, answer });

  it("answers right, from the code and from a file, and says which twin does", async ({ task }) => {
    const opened = await open();
    const result = await evaluate(
      opened,
      `await file.ready();
       return [inlined, file].map((kernel) => {
         const [A, B] = inputsOf(kernel);
         const C = new Float32Array(kernel.info.parameters.M * 40);
         return [wrongOf(kernel, A, B, kernel(A, B)), kernel(A, B, C) === C, wrongOf(kernel, A, B, C), kernel.info.twin, kernel.info.twinReason];
       });`,
    );
    expect(result).toEqual([
      [0, true, 0, twin, twinReason],
      [0, true, 0, twin, twinReason],
    ]);
    expect(await opened.problems()).toEqual([]);
    saw(task, recordOf("calls", "yes"), recordOf("relaxed SIMD", twinReason === null ? "yes" : `no: ${twinReason}`));
  });

  it("waits for a file that has not arrived, and says so", async () => {
    const result = await evaluate(
      await open(),
      `const before = file.info.twin;
       try { file(...inputsOf(file)); } catch (error) { return [before, error.message]; }`,
    );
    expect(result).toEqual([
      null,
      "gemm is not loaded yet: await its ready() before the first call, or import it with &sync",
    ]);
  });

  it("computes in the arrays of buffers() and refuses arrays that do not fit", async () => {
    const result = await evaluate(
      await open(),
      `const { A, B, C } = inlined.buffers(), [a, b] = inputsOf(inlined);
       A.set(a);
       B.set(b);
       const same = inlined(A, B, C) === C;
       const refused = (...given) => { try { inlined(...given); } catch (error) { return error.name + ": " + error.message; } };
       return [same, wrongOf(inlined, a, b, C), refused(a.subarray(1), b), refused(a, new Float64Array(b)), refused(a, b, a), refused(a)];`,
    );
    expect(result).toEqual([
      true,
      0,
      "RangeError: gemm: argument 1 (A) must be a Float32Array of 384 elements, f32[24, 16]; got 383 elements",
      "TypeError: gemm: argument 2 (B) must be a Float32Array of 640 elements, f32[16, 40]; got a Float64Array",
      "RangeError: gemm: argument 3 (C) must be a Float32Array of 960 elements, f32[24, 40]; got 384 elements",
      "TypeError: gemm takes A, B and then none or all of C; got 1 arguments",
    ]);
  });

  it("takes the pixels of a canvas as bytes, and writes into them", async ({ task }) => {
    const result = await evaluate(
      await open(),
      `const [from, to] = [new ImageData(4, 4), new ImageData(4, 4)];
       from.data.set(Array.from({ length: 64 }, (_, at) => at));
       bytes(from, to);
       return [[...to.data], [...bytes(from.data)].every((it, at) => it === 2 * at)];`,
    );
    expect(result).toEqual([Array.from({ length: 64 }, (_, at) => 2 * at), true]);
    saw(task, recordOf("ImageData", "yes"));
  });

  it("computes with halves: takes and gives the engine's Float16Array, or bits", async ({ task }) => {
    const result = await evaluate(
      await open(),
      `const bits = new Uint16Array(64).fill(0x3c00);
       const fromBits = halves(bits);
       const kind = fromBits.constructor.name;
       const right = new Uint16Array(fromBits.buffer).every((it) => it === 0x4000);
       if (typeof Float16Array === "undefined") return [kind, right, null];
       const given = new Float16Array(64).fill(1.5);
       return [kind, right, [...halves(given), ...(await halves.async(given))].every((it) => it === 3)];`,
    );
    expect([
      ["Float16Array", true, true],
      ["Uint16Array", true, null],
    ]).toContainEqual(result);
    saw(task, recordOf("Float16Array", (result as unknown[])[0] === "Float16Array" ? "yes" : "no"));
  });

  /**
   * Makes calls off the main thread and expects right results, and workers of these protocols. A worker that failed is heard of
   * before the browser has said that it is gone.
   */
  const expectAsync = async (opened: OpenPage, protocols: string[]) => {
    const wrong = await evaluate(
      opened,
      `const wrong = [];
       for (const kernel of [inlined, threaded]) {
         const [A, B] = inputsOf(kernel);
         for (const C of await Promise.all([kernel.async(A, B), kernel.async(A, B)])) wrong.push(wrongOf(kernel, A, B, C));
       }
       return wrong;`,
    );
    expect(wrong).toEqual([0, 0, 0, 0]);
    const workers = async () => [...new Set((await opened.page.workers()).map((url) => new URL(url).protocol))];
    await expect.poll(workers).toEqual(protocols);
  };

  it.for(policies)("works under the policy %s, calls of async in workers", async (policy, { task }) => {
    const opened = await open({ "Content-Security-Policy": policy });
    const sync = await evaluate(
      opened,
      `await file.ready();
       return [inlined, file, threaded].map((kernel) => wrongOf(kernel, ...inputsOf(kernel), kernel(...inputsOf(kernel))));`,
    );
    expect(sync).toEqual([0, 0, 0]);
    await expectAsync(opened, ["http:"]);
    expect(await opened.problems()).toEqual([]);
    saw(task, recordOf("async", "yes"), recordOf("policy", "yes"));
  });

  it("computes on the calling thread where no worker is allowed", async () => {
    const opened = await open({ "Content-Security-Policy": `${policies[0]}; worker-src 'none'` });
    await expectAsync(opened, []);
  });

  it("computes on the calling thread where the workers' script is not to be had", async () => {
    let asked = 0;
    const opened = await open((path): Headers | null => {
      if (!path.includes("kernel-worker")) return {};
      asked += 1;
      return null;
    });
    await expectAsync(opened, []);
    expect(asked).toBeGreaterThan(0);
  });

  it("leaves the main thread free while async computes", async () => {
    const opened = await open();
    // If the page's own thread computed, no timer would be served between the call and its answer.
    const { ticks, first } = await evaluate<{ ticks: number; first: number }>(
      opened,
      `const { M, N, K } = slow.info.parameters;
       const A = new Float32Array(M * K).fill(1), B = new Float32Array(K * N).fill(2);
       let ticks = 0;
       // Copies of the arguments are made at once.
       const call = slow.async(A, B);
       const timer = setInterval(() => ticks++, 5);
       const C = await call;
       clearInterval(timer);
       return { ticks, first: C[0] };`,
    );
    expect(first).toBe(2 * 2048);
    expect(ticks).toBeGreaterThan(5);
  });

  describe("threads", () => {
    const run = `const wrong = [];
      // Until the thread is there, which no call waits for.
      const [A, B] = inputsOf(threaded);
      for (let call = 0; call < 50; call++) {
        wrong.push(wrongOf(threaded, A, B, threaded(A, B)));
        await new Promise((resolve) => setTimeout(resolve));
      }
      return [wrong.every((it) => it === 0), threaded.info.twinReason, threaded.buffers().A.buffer.constructor.name];`;

    const isIsolated = true;

    it("take part in a page that is isolated, under a policy too", async ({ task }) => {
      const opened = await open({ ...isolation, "Content-Security-Policy": policies[0]! }, { isIsolated });
      expect(await evaluate(opened, run)).toEqual([true, twinReason, "SharedArrayBuffer"]);
      expect(await opened.page.workers()).toHaveLength(1);
      // The worker has taken all that it was told: it sleeps until there is work.
      const isReady = `globalThis[Symbol.for("unplugin-kernel.threads.1")].isReady({ threads: 2 })`;
      await opened.page.waitFor(isReady);
      expect(await evaluate(opened, run)).toEqual([true, twinReason, "SharedArrayBuffer"]);
      await expectAsync(opened, ["http:"]);
      expect(await opened.problems()).toEqual([]);
      saw(task, recordOf("threads", "yes"));
    });

    it("run from memory where the file comes without the headers that an isolated page asks for", async () => {
      const opened = await open((path) => (path.includes("kernel-worker") ? {} : isolation), { isIsolated });
      expect(await evaluate(opened, run)).toEqual([true, twinReason, "SharedArrayBuffer"]);
      await expectAsync(opened, ["blob:"]);
    });

    const oneThread = "one thread: there is no SharedArrayBuffer, which a page has if it is cross-origin isolated";

    it("are not there in another page, which says so", async () => {
      const opened = await open();
      expect(await evaluate(opened, run)).toEqual([
        true,
        [oneThread, twinReason].filter((it) => it !== null).join("; "),
        "ArrayBuffer",
      ]);
      expect(await opened.page.workers()).toEqual([]);
    });
  });
});
