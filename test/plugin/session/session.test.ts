import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type {
  CompiledKernel,
  CompileKernel,
  CompileServices,
  KernelRequest,
} from "../../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelPluginOptions } from "../../../src/plugin/options/types.ts";
import { parseRequest } from "../../../src/plugin/request/request.ts";
import { createSession } from "../../../src/plugin/session/session.ts";
import { writeApp } from "../../support/build-app.ts";
import { fakeKernel } from "../../support/fake-kernel.ts";

const wanted = (query: string) => parseRequest(`/app/gemm.op.ts?${query}`)!;

/** A session whose compilations end when the test says so. */
function startSession(options: KernelPluginOptions = {}) {
  const calls: { request: KernelRequest; services: CompileServices; finish: (kernel: CompiledKernel) => void }[] = [];
  const lines: string[] = [];
  const compile: CompileKernel = (request, services) =>
    new Promise((finish) => void calls.push({ request, services, finish }));
  const session = createSession({ mode: "tune", ...options }, compile);
  session.configure("/app", { info: (line) => lines.push(line), warn: (line) => lines.push(`! ${line}`) });
  return { session, calls, lines };
}

describe("a session", () => {
  it("compiles a kernel once, however many ask while it lasts", async () => {
    const { session, calls } = startSession();
    const one = session.compile(wanted("tune=wasm&M=3"));
    const other = session.compile(wanted("M=3&tune=wasm"));
    const third = session.compile(wanted("M=4&tune=wasm"));
    expect(calls.map(({ request }) => request.parameters)).toEqual([{ M: 3 }, { M: 4 }]);
    const kernel = fakeKernel();
    for (const { finish } of calls) finish(kernel);
    expect(await Promise.all([one, other, third])).toEqual([kernel, kernel, kernel]);
    void session.compile(wanted("M=3&tune=wasm"));
    expect(calls).toHaveLength(3);
  });

  it("forgets a compilation that failed", async () => {
    let count = 0;
    const session = createSession({ mode: "tune", logLevel: "silent" }, async () => {
      count += 1;
      throw new Error("no");
    });
    await expect(session.compile(wanted("tune=wasm"))).rejects.toThrow("no");
    await expect(session.compile(wanted("tune=wasm"))).rejects.toThrow("no");
    expect(count).toBe(2);
  });

  it("asks for what the import and the options say", () => {
    const { session, calls } = startSession({ budget: { seconds: 9 }, numerics: "strict" });
    void session.compile(wanted("tune=avx2&trials=7&threads=2&fallback=none"));
    void session.compile(wanted("tune=native"), "predict");
    expect(calls.map(({ request }) => request)).toEqual([
      {
        opFile: "/app/gemm.op.ts",
        target: "avx2",
        parameters: {},
        fallback: "none",
        threads: 2,
        numerics: "strict",
        mode: "tune",
        budget: { seconds: 9, trials: 7 },
      },
      {
        opFile: "/app/gemm.op.ts",
        target: "native",
        parameters: {},
        fallback: "wasm",
        threads: 1,
        numerics: "strict",
        mode: "predict",
        budget: { seconds: 9, trials: 512 },
      },
    ]);
  });

  it("ends a build with one line, and tells the compiler's warnings", async () => {
    const { session, calls, lines } = startSession();
    session.begin();
    const compiled = session.compile(wanted("tune=wasm"));
    calls[0]!.services.log.debug("not shown");
    calls[0]!.services.log.warn("no compiler");
    calls[0]!.finish(fakeKernel());
    await compiled;
    session.finish();
    session.finish();
    expect(lines).toEqual([
      "! [unplugin-kernel] no compiler",
      expect.stringMatching(
        /^\[unplugin-kernel\] 1 kernel from kernels\.lock\.json, 0 measured, 0 compiler runs, \d+ ms$/,
      ),
    ]);
  });

  it("has one total a build: those that are compiled at the same time share it, the next build has its own", async () => {
    const { session, calls } = startSession({ budget: { total: 60 } });
    session.begin();
    const compiled = [session.compile(wanted("tune=wasm&M=3")), session.compile(wanted("tune=wasm&M=4"))];
    // Another environment of the same build.
    session.begin();
    compiled.push(session.compile(wanted("tune=wasm&M=5")));
    const [first, second, third] = calls.map(({ services }) => services.tunings);
    expect(second === first && third === first).toBe(true);
    for (const { finish } of calls) finish(fakeKernel());
    await Promise.all(compiled);
    session.begin();
    void session.compile(wanted("tune=wasm&M=3"));
    expect(calls[3]!.services.tunings === first).toBe(false);
  });

  it("counts the time in which anything was compiled once", async () => {
    const clock = vi.spyOn(performance, "now");
    const { session, calls, lines } = startSession();
    clock.mockReturnValue(1000);
    const one = session.compile(wanted("tune=wasm&M=3"));
    clock.mockReturnValue(2000);
    const other = session.compile(wanted("tune=wasm&M=4"));
    clock.mockReturnValue(4000);
    for (const { finish } of calls) finish(fakeKernel());
    await Promise.all([one, other]);
    await Promise.resolve();
    session.finish();
    clock.mockRestore();
    expect(lines.at(-1)).toMatch(/^\[unplugin-kernel\] 2 kernels from .+, 3\.0 s$/);
  });

  it("sums up kernels that are asked for one by one when the last of them is there", async () => {
    const { session, calls, lines } = startSession();
    const each = ["M=3", "M=4"].map(async (size) => {
      await session.compile(wanted(`tune=wasm&${size}`));
      await session.finish(false);
    });
    calls[0]!.finish(fakeKernel());
    await each[0];
    expect(lines).toEqual([]);
    calls[1]!.finish(fakeKernel());
    await each[1];
    expect(lines).toEqual([expect.stringMatching(/ 2 kernels /)]);
  });

  it("keeps to the log level", async () => {
    const { session, calls, lines } = startSession({ logLevel: "warn" });
    const compiled = session.compile(wanted("tune=wasm"));
    calls[0]!.services.log.warn("shown");
    calls[0]!.finish(fakeKernel());
    await compiled;
    session.finish();
    expect(lines).toEqual(["! [unplugin-kernel] shown"]);
  });

  it("stops the compiler when it is closed", () => {
    const { session, calls } = startSession();
    void session.compile(wanted("tune=wasm"));
    expect(calls[0]!.services.signal.aborted).toBe(false);
    session.close();
    expect(calls[0]!.services.signal.aborted).toBe(true);
  });

  it("tells nobody that it was stopped before all have cleaned up", async () => {
    const ends: (() => void)[] = [];
    const compile: CompileKernel = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => ends.push(() => reject(signal.reason)));
      });
    const session = createSession({ mode: "tune", logLevel: "silent" }, compile);
    const told: number[] = [];
    const asked = [3, 4].map((M) => session.compile(wanted(`tune=wasm&M=${M}`)).catch(() => told.push(M)));
    session.close();
    ends[0]!();
    await new Promise(setImmediate);
    expect(told).toEqual([]);
    ends[1]!();
    await Promise.all(asked);
    expect(told.sort()).toEqual([3, 4]);
  });

  describe("with dts", () => {
    const files = {
      "gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 4, N: 4, K: 4 });\n',
      "main.ts": 'import gemm from "./gemm.op.ts?tune=wasm"; gemm();\n',
    };
    const path = "types/kernels.d.ts";

    it("writes declarations of what the sources import, whatever the bundler sees, and only when they change", async () => {
      const root = writeApp(files);
      const { session } = startSession({ root, dts: path });
      const text = () => readFileSync(join(root, path), "utf8");
      session.begin();
      await session.finish();
      expect(text()).toContain(
        'declare module "*/gemm.op.ts?tune=wasm" {\n  /** A: f32[4, 4], B: f32[4, 4] → C: f32[4, 4] */',
      );
      const written = statSync(join(root, path)).mtimeMs;
      session.begin();
      await session.finish();
      expect(statSync(join(root, path)).mtimeMs).toBe(written);
      writeFileSync(join(root, path), "");
      writeFileSync(join(root, "other.ts"), 'import gemm from "./gemm.op.ts?M=8&tune=avx2"; gemm();\n');
      session.begin();
      // Another environment, while the files are being looked at, and a file that a dev server has seen change.
      session.begin();
      writeFileSync(join(root, "third.ts"), 'import gemm from "./gemm.op.ts?M=9&tune=avx2"; gemm();\n');
      session.changed();
      await session.finish();
      for (const query of ["tune=wasm", "M=8&tune=avx2", "M=9&tune=avx2"])
        expect(text()).toContain(`gemm.op.ts?${query}"`);
    });

    it("goes on with a warning where files cannot be looked through, and fails where they cannot be written", async () => {
      const { session, lines } = startSession({ root: "/nowhere/at/all", dts: true });
      session.begin();
      await session.finish();
      expect(lines).toEqual([expect.stringMatching(/^! \[unplugin-kernel\] no types were written: ENOENT/)]);
      const root = writeApp({ ...files, types: "a file" });
      const other = startSession({ root, dts: path });
      other.session.begin();
      await expect(other.session.finish()).rejects.toThrow(/EEXIST|ENOTDIR/);
    });

    it("looks at nothing without the option", async () => {
      const root = writeApp(files);
      const { session, lines } = startSession({ root });
      session.begin();
      await session.finish();
      expect(lines).toEqual([]);
      expect(readdirSync(root).sort()).toEqual(["gemm.op.ts", "main.ts"]);
    });
  });
});
