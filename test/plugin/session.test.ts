import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type {
  CompiledKernel,
  CompileKernel,
  CompileServices,
  KernelRequest,
} from "../../src/plugin/compiled-kernel.ts";
import { parseRequest } from "../../src/plugin/request.ts";
import { createSession } from "../../src/plugin/session.ts";
import type { KernelPluginOptions } from "../../src/plugin/types.ts";
import { writeApp } from "../support/build-app.ts";
import { fakeKernel } from "../support/fake-kernel.ts";

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

  it("writes declarations, and only when they change", () => {
    const root = writeApp({ "gemm.op.ts": "" });
    const path = join(root, "types/kernels.d.ts");
    const { session } = startSession({ root, dts: "types/kernels.d.ts" });
    session.imported({ specifier: "./gemm.op.ts?tune=wasm", file: join(root, "gemm.op.ts") });
    session.finish();
    expect(readFileSync(path, "utf8")).toContain('typeof import("../gemm.op.ts").default');
    const written = statSync(path).mtimeMs;
    session.finish();
    expect(statSync(path).mtimeMs).toBe(written);
    writeFileSync(path, "");
    session.finish();
    expect(readFileSync(path, "utf8")).toContain("*/gemm.op.ts?tune=wasm");
  });
});
