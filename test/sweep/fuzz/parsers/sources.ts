// Parsers of a project's own files that are read without its tools: package.json, Jest's configuration, and imports in sources.

import { shardOf } from "../../../../src/cli/flags/shard.ts";
import { NotUnderstood } from "../../../../src/cli/init/config-objects.ts";
import type { HostName } from "../../../../src/cli/init/hosts.ts";
import { wireJestJson } from "../../../../src/cli/init/jest-json.ts";
import { planInit } from "../../../../src/cli/init/plan.ts";
import { DiagnosticError } from "../../../../src/compiler/index.ts";
import { findImports } from "../../../../src/plugin/declarations/find-imports.ts";
import { likelyImports } from "../../../../src/plugin/declarations/likely-imports.ts";
import { kernelSpecifiers, replaceSpecifiers } from "../../../../src/plugin/jest/imports.ts";
import { isPossible } from "../../../../src/plugin/kernel/outside/claim.ts";
import { guardConditions } from "../../../../src/plugin/operator/guard-conditions.ts";
import { locateOperatorNow } from "../../../../src/plugin/request/locate-operator.ts";
import { packageManagerOf } from "../../../../src/plugin/support/package-manager.ts";
import { lockEntry } from "../../../tuner/store/sample-entry.ts";
import { folderWith } from "../folder.ts";
import { type FuzzedParser, unless, unlessRejected } from "../parser.ts";

const jest = { preset: "ts-jest", testEnvironment: "node" };
const transform = { "\\\\.ts$": "ts-jest", "\\\\.css$": ["css-jest", { a: 1 }] };
const hosts: readonly HostName[] = ["node", "vite", "jest"];
const imports = { "#op/*": "./src/*", "#one": { "unplugin-kernel": "./src/gemm.op.ts", default: "./other.js" } };

export const sourceParsers: readonly FuzzedParser[] = [
  {
    name: "init",
    share: 0.5,
    seeds: () => [
      JSON.stringify(
        { name: "app", scripts: { start: "node src/main.ts", dev: "tsx watch a.ts" }, dependencies: { a: "1" } },
        null,
        2,
      ),
      JSON.stringify({
        name: "app",
        scripts: { build: "vite build -c vite.config.mjs", test: "jest" },
        devDependencies: { vite: "8", jest: "30" },
        jest: { transform },
      }),
      JSON.stringify({ name: "app", workspaces: ["packages/*"], packageManager: "pnpm@9.0.0", imports }),
    ],
    isPrinted: false,
    read(text) {
      const root = folderWith("init", { "package.json": text, "tsconfig.json": "{}", "src/main.ts": "" });
      const request = { root, operators: [], version: "1.0.0", written: null };
      const tried = [null, hosts[text.length % hosts.length]!];
      const plans = tried.map((host) => unless([DiagnosticError], () => planInit({ ...request, host })));
      for (const plan of plans)
        for (const { file, text: written } of plan?.changes ?? [])
          if (file.endsWith("package.json")) JSON.parse(written.replace(/^\ufeff/, ""));
      return plans.every((plan) => plan === null) ? null : JSON.stringify(plans.map((plan) => plan?.host));
    },
  },
  {
    name: "jest-configuration",
    seeds: () => [
      JSON.stringify({ transform }, null, 2),
      "{}",
      JSON.stringify({ jest: { transform } }),
      JSON.stringify({ jest }),
    ],
    isPrinted: false,
    read(text) {
      const wired = [null, "jest"].map((section) => unless([NotUnderstood], () => wireJestJson(text, section)));
      for (const [at, one] of wired.entries())
        if (one !== null && wireJestJson(one, at === 0 ? null : "jest") !== one)
          throw new Error(`it is wired twice: ${one}`);
      return wired.every((one) => one === null) ? null : JSON.stringify(wired);
    },
  },
  {
    name: "package-imports",
    seeds: () => [JSON.stringify({ name: "app", packageManager: "pnpm@9.0.0+sha512.abc", imports })],
    isPrinted: false,
    read(text) {
      const root = folderWith("imports", { "package.json": text, "src/gemm.op.ts": "" });
      const file = `${root}/src/gemm.op.ts`;
      const found = ["#op/gemm.op.ts?tune=wasm", "#one?tune=wasm"].map((one) =>
        locateOperatorNow(one, `${root}/main.ts`),
      );
      return JSON.stringify([found, likelyImports(file), packageManagerOf(root).install]);
    },
  },
  {
    name: "jest-imports",
    seeds: () => [
      'import gemm from "./gemm.op.ts?tune=wasm";\nconst a = require("./a.op.ts?tune=avx2&M=64");\njest.mock("./b?tune=wasm");\n',
    ],
    isPrinted: false,
    read(text) {
      const specifiers = kernelSpecifiers(text);
      const replaced = replaceSpecifiers(text, true, (one) => (specifiers.includes(one) ? "/m.mjs" : undefined));
      if (kernelSpecifiers(replaced).length > 0) throw new Error(`a kernel is left: ${replaced}`);
      return JSON.stringify(specifiers);
    },
  },
  {
    name: "component-imports",
    seeds: () => [
      '<script setup>\nimport gemm from "./gemm.op.ts?tune=wasm";\nconst later = import("./gemm.op.ts?tune=wasm&M=64");\n</script>\n',
    ],
    isPrinted: false,
    share: 0.1,
    async read(text) {
      const root = folderWith("component", { "app.vue": text, "gemm.op.ts": "" });
      const mistakes: string[] = [];
      const found = await findImports(
        root,
        () => true,
        (mistake) => mistakes.push(mistake.message),
      );
      return JSON.stringify([found.map(({ specifier }) => specifier), mistakes.length]);
    },
  },
  {
    name: "script-imports",
    seeds: () => ['import gemm from "./gemm.op.ts?tune=wasm";\nexport * from "./gemm.op.ts?tune=wasm&M=64";\n'],
    isPrinted: false,
    share: 0.05,
    async read(text) {
      const root = folderWith("script", { "app.ts": text, "gemm.op.ts": "" });
      const found = await unlessRejected([DiagnosticError], () => findImports(root, () => true));
      return found && JSON.stringify(found.map(({ specifier }) => specifier));
    },
  },
  {
    name: "conditions",
    seeds: () => [
      'var op = require("op");\n// src/gemm.op.ts\nconst inside = (0, op.ge)(y, 0).and(y.lt(4));\nmodule.exports = inside ? a(y) : !inside && b;\nfor (const x of y) if (x.gt(1)) while (z == null) z();\n',
    ],
    isPrinted: false,
    async read(text) {
      const insertions = await guardConditions(text);
      if (insertions.some(({ at }, place) => at < (insertions[place - 1]?.at ?? 0) || at > text.length))
        throw new Error("its insertions have no order");
      return JSON.stringify(insertions);
    },
  },
  {
    name: "machine-text",
    seeds: () => ["avx2 avx2+fma 32B 16r l1=32768 l2=524288 l3=4194304 threads=1"],
    isPrinted: false,
    read(text) {
      const { measured } = lockEntry;
      const claims = [measured!, { ...measured!, medianNs: 1e-3, gflops: measured!.gflops * measured!.medianNs * 1e3 }];
      const [first, impossible] = claims.map((claim) => isPossible({ ...claim, machine: text }, measured!));
      return first === undefined ? null : JSON.stringify([first, impossible]);
    },
  },
  {
    name: "shard",
    seeds: () => ["2/5", "1/1"],
    isPrinted: false,
    read(text) {
      const shard = unless([DiagnosticError], () => shardOf(text));
      if (shard && !(shard.at >= 1 && shard.at <= shard.of)) throw new Error(`shard ${shard.at} of ${shard.of}`);
      return shard && JSON.stringify(shard);
    },
  },
];
