// The file of the package that comes compiled: it is what zig makes of windows-probe.c, byte for byte, and needs nothing but Node and Windows.
//
//     UPDATE_PROBE=1 npm run test:zig -- test/native/machine     writes it anew

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { nodeApiDefinitions, nodeApiInclude } from "../../../src/native/file/native-file.ts";
import { windowsFacts } from "../../../src/native/machine/windows-facts.ts";
import { compilers } from "../../../src/native/toolchain/compilers.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { runCompiler } from "../../../src/native/toolchain/run-compiler.ts";
import { codeFlags, type Toolchain } from "../../../src/native/toolchain/toolchain.ts";
import { readPortableExecutable } from "../../support/portable-executable.ts";
import { inTempDir, project, toolchains } from "../compiled.ts";

const committed = "src/native/machine/windows-probe.node";
const sources = ["src/native/machine/windows-probe.c", "src/native/load/features.c"];
const hasZig = toolchains.some(({ family }) => family === "zig");

/** Compiles and links as an addon for Windows is. */
const compiledProbe = (toolchain: Toolchain): Promise<Buffer> =>
  inTempDir(async (folder) => {
    for (const source of sources) copyFileSync(source, join(folder, source.split("/").at(-1)!));
    const { ownFlags, linkFlags, importLibrary } = compilers.zig;
    const options = { folder, timeoutMs: 300_000 };
    const libraries = nodeApiDefinitions().map((definition, at) => [definition, `node${at}.lib`] as const);
    for (const [definition, library] of libraries)
      expect(
        await runCompiler(toolchain, importLibrary!(definition, library, "x64"), { ...options, subcommand: [] }),
      ).toBe(null);
    const flags = [...codeFlags("strict"), ...ownFlags("win32-x64")];
    const compile = [...flags, "-I", nodeApiInclude(), "-c", "windows-probe.c", "-o", "probe.o"];
    expect(await runCompiler(toolchain, compile, options)).toBe(null);
    const link = [...flags, ...linkFlags("win32-x64"), "probe.o", ...libraries.map(([, library]) => library)];
    expect(await runCompiler(toolchain, [...link, "-o", "probe.node"], options)).toBe(null);
    return readFileSync(join(folder, "probe.node"));
  });

test.skipIf(!hasZig)(`is what zig makes of its C${hasZig ? "" : " (no zig here, or not asked for)"}`, async () => {
  const [toolchain] = await detectToolchains({ project, platform: "win32-x64" }, ["zig"]);
  const bytes = await compiledProbe(toolchain!);
  if (process.env.UPDATE_PROBE === "1") writeFileSync(committed, bytes);
  expect(readFileSync(committed).equals(bytes)).toBe(true);
});

test("wants nothing but Node and Windows, and gives nothing but a module of Node", () => {
  const { processor, imports, exports } = readPortableExecutable(readFileSync(committed));
  expect(processor).toBe("x64");
  expect(Object.keys(imports).sort()).toEqual(["KERNEL32.dll", "NODE.EXE"]);
  expect([...imports["KERNEL32.dll"]!].sort()).toEqual([
    "GetLogicalProcessorInformation",
    "GetProcessHeap",
    "HeapAlloc",
    "HeapFree",
  ]);
  expect(imports["NODE.EXE"]!.filter((name) => !name.startsWith("napi_"))).toEqual([]);
  expect([...exports].sort()).toEqual(["napi_register_module_v1", "node_api_module_get_api_version_v1"]);
});

test("where it cannot be loaded, nothing is known", () => {
  expect(windowsFacts()).toEqual({ features: [], caches: [], signature: 0 });
});

describe("on Windows on ARM", () => {
  const [{ value: platform }, { value: arch }] = ["platform", "arch"].map(
    (name) => Object.getOwnPropertyDescriptor(process, name)!,
  ) as [PropertyDescriptor, PropertyDescriptor];
  const be = (own: string, family: string): void => {
    Object.defineProperty(process, "platform", { value: own });
    Object.defineProperty(process, "arch", { value: family });
  };
  afterEach(() => {
    be(platform, arch);
    vi.restoreAllMocks();
    vi.resetModules();
  });

  test("it is not opened: the machine has what all have there, and caches that are not known", async () => {
    be("win32", "arm64");
    vi.resetModules();
    const open = vi.spyOn(process, "dlopen");
    const { bestTargetName, detectMachine } = await import("../../../src/native/machine/machine.ts");
    const machine = detectMachine();
    expect(machine).toMatchObject({ platform: "win32-arm64", features: ["neon"], caches: null, core: undefined });
    expect(bestTargetName(machine)).toBe("wasm");
    expect(open).not.toHaveBeenCalled();
  });
});
