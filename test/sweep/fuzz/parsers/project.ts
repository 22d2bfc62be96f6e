// Parsers of what stands in a project, on a command line, or comes from a page or a system.

import { decodeMeasured } from "../../../../src/cli/bench/browser/decode-measured.ts";
import type { Plan } from "../../../../src/cli/bench/browser/visit.ts";
import { sizeOf } from "../../../../src/cli/flags/size-text.ts";
import { parsePackageJson, withEntries } from "../../../../src/cli/init/package-json.ts";
import { withDeclarations } from "../../../../src/cli/init/tsconfigs.ts";
import { wireConfig } from "../../../../src/cli/init/wire-config.ts";
import { DiagnosticError } from "../../../../src/compiler/index.ts";
import { cachesOfSys, cachesOfSysctl } from "../../../../src/native/machine/caches.ts";
import { coreOfCpuinfo, coreOfSysctl } from "../../../../src/native/machine/core-name.ts";
import {
  featuresOfAppleArm,
  featuresOfCpuinfo,
  featuresOfSysctl,
} from "../../../../src/native/machine/cpu-features.ts";
import { BadBody } from "../../../../src/native/network/page-listener.ts";
import { compilers } from "../../../../src/native/toolchain/compilers.ts";
import { resolveOptions } from "../../../../src/plugin/options/options.ts";
import { parseRequest } from "../../../../src/plugin/request/request.ts";
import { answerIn, factsIn, visitIn } from "../../../../src/plugin/visitors/decode.ts";
import { ShapeError } from "../../../../src/tuner/support/strict.ts";
import { type FuzzedParser, ofJson, unless } from "../parser.ts";

const twins = [{ name: "wasm", why: null }] as const;
const plan = {
  project: "app",
  seconds: 1,
  kernels: [{ kernel: "a", error: null, bench: { twins } }],
} as unknown as Plan;
const row = {
  name: "wasm",
  isBound: true,
  why: null,
  isRight: true,
  times: { medianNs: 5, p20Ns: 4, p80Ns: 6, samples: 9 },
};
const browser = { userAgent: "Chromium", cores: 2, hasSharedMemory: true, hasRelaxedSimd: false, clockStepMs: 0.005 };
const project = {
  name: "app",
  scripts: { build: "vite build" },
  imports: { "#a": "./a.js" },
  devDependencies: { a: "1", vite: "8" },
};

export const projectParsers: readonly FuzzedParser[] = [
  {
    name: "request",
    seeds: () => [
      "./gemm.op.ts?tune=wasm&M=64",
      "/app/src/gemm.op.ts?M=64&dtype=f16&fallback=none&seconds=3&sync=1&threads=4&trials=9&tune=native",
      "./a.op.ts?import&t=1700000000000&tune=avx2&v=0123abcd",
    ],
    read(text) {
      const request = unless([DiagnosticError], () => parseRequest(text));
      return request && `${request.path}${request.query}`;
    },
  },
  {
    name: "options",
    seeds: () => [
      JSON.stringify({
        mode: "tune",
        budget: { seconds: 3, trials: 20, total: 60 },
        include: ["src/**/*.op.ts"],
        dts: true,
      }),
      JSON.stringify({
        root: "/app",
        cacheDir: ".store",
        lockfile: "l.json",
        onMiss: "fallback",
        numerics: "strict",
        report: "r.html",
      }),
    ],
    isPrinted: false,
    read: ofJson(DiagnosticError, (value) => resolveOptions(value as object, "/app", {})),
  },
  {
    name: "page-results",
    seeds: () => [
      JSON.stringify({ browser, kernels: [[row]] }),
      JSON.stringify({ browser, kernels: [[{ ...row, times: null }]] }),
    ],
    read: ofJson(ShapeError, (value) => decodeMeasured(value, plan)),
  },
  {
    name: "page-visit",
    seeds: () => [
      JSON.stringify({
        userAgent: "Firefox/146.0",
        isSecure: false,
        engine: "arm-relaxed",
        gpu: { vendor: "apple", name: "apple", isSoftware: false, subgroupLanes: 32 },
      }),
      JSON.stringify({ userAgent: "", isSecure: true, engine: null, gpu: null }),
      '{"visit":3}',
    ],
    isPrinted: false,
    read(text) {
      const body = Buffer.from(text);
      const read = unless([BadBody], () => factsIn(body)) ?? unless([BadBody], () => ({ visit: visitIn(body) }));
      return read && JSON.stringify(read);
    },
  },
  {
    name: "page-answer",
    seeds: () => [
      `\0\0\0\0\x01\0\0\0\x0e\0\0\0${JSON.stringify({ ns: [1, 2.5] })}abcd`,
      `\0\0\0\0\0\0\0\0\x0f\0\0\0${JSON.stringify({ failed: "no" })}`,
    ],
    isPrinted: false,
    read(text) {
      const read = unless([BadBody], () => answerIn(Buffer.from(text, "latin1")));
      return read && JSON.stringify(read.ran);
    },
  },
  {
    name: "package-json",
    seeds: () => [JSON.stringify(project, null, 2), '{"name":"a"}', "{}"],
    isPrinted: false,
    read(text) {
      const parsed = unless([DiagnosticError], () => parsePackageJson(text, "package.json"));
      if (parsed === null) return null;
      const edited = withEntries(text, "devDependencies", { "unplugin-kernel": "1.0.0" });
      const { json } = parsePackageJson(edited, "package.json");
      if (json.devDependencies?.["unplugin-kernel"] !== "1.0.0") throw new Error(`the entry is not there: ${edited}`);
      return edited;
    },
  },
  {
    name: "tsconfig",
    seeds: () => [
      '{\n  // which files\n  "include": ["src/**/*.ts"],\n  "compilerOptions": { "outDir": "out" },\n}\n',
      "{}",
    ],
    isPrinted: false,
    read(text) {
      const edited = withDeclarations(text, "/app", "/app/src/kernel-imports.d.ts");
      if (edited !== null && withDeclarations(edited, "/app", "/app/src/kernel-imports.d.ts") !== null)
        throw new Error(`it would be edited again: ${edited}`);
      return edited ?? "";
    },
  },
  {
    name: "bundler-configuration",
    seeds: () => [
      'import { defineConfig } from "vite";\nexport default defineConfig({ plugins: [] });\n',
      'const { defineConfig } = require("vite");\nmodule.exports = defineConfig(({ mode }) => ({ root: "." }));\n',
    ],
    isPrinted: false,
    read(text) {
      const wiring = wireConfig(text, "vite");
      if (wiring.kind === "edited" && wireConfig(wiring.text, "vite").kind !== "wired")
        throw new Error(`it would be edited again: ${wiring.text}`);
      return wiring.kind === "by-hand" ? null : JSON.stringify(wiring);
    },
  },
  {
    name: "cpu-information",
    seeds: () => [
      "processor\t: 0\nflags\t\t: fpu sse2 avx avx2 fma avx512f avx512_vnni amx_tile\n\nprocessor\t: 1\nflags\t\t: fpu sse2 avx avx2 fma\n",
      "FPU SSE2 AVX1.0 AVX2 FMA",
      "hw.l1dcachesize: 32768\nhw.l2cachesize: 4194304\nhw.l3cachesize: 8388608\nhw.physicalcpu: 4\n",
      "48K",
      "0-3,8",
    ],
    isPrinted: false,
    read(text) {
      const entry = (level: string) => ({ level, type: "Data", size: text, shared_cpu_list: text });
      const caches = [cachesOfSys(["1", "2", "3"].map(entry)), cachesOfSysctl(text)];
      for (const bytes of caches.flatMap((it) => (it ? Object.values(it) : [])))
        if (!(Number.isInteger(bytes) && bytes > 0)) throw new Error(`a cache of ${bytes} bytes`);
      const features = [featuresOfCpuinfo(text), featuresOfSysctl(text), featuresOfAppleArm(text)];
      return JSON.stringify([features, caches, coreOfCpuinfo(text, 0), coreOfSysctl(text)]);
    },
  },
  {
    name: "compiler-version",
    seeds: () => ["gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "Debian clang version 14.0.6", "0.16.0"],
    isPrinted: false,
    read(text) {
      const versions = Object.values(compilers).map(({ parseVersion }) => parseVersion(text));
      for (const version of versions)
        if (version !== null && !/^[\d.]+$/.test(version)) throw new Error(`a version "${version}"`);
      return versions.some((version) => version !== null) ? JSON.stringify(versions) : null;
    },
  },
  {
    name: "size",
    seeds: () => ["500MB", "2 GiB", "1.5kb", "12"],
    read(text) {
      const bytes = sizeOf(text);
      return bytes === null ? null : BigInt(bytes).toString();
    },
  },
];
