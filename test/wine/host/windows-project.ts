// A project on drive C: of Windows, in a folder with a space in its name, with this package as it is built (dist), esbuild and Vite for Windows, and
// a zig that runs here.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { project as zigProject } from "../../native/compiled.ts";
import { startWine, type WineRun, windowsFolder, windowsNode, wineSkipReason } from "../wine-node.ts";
import { windowsProgram } from "./windows-program.ts";
import { openZigDoor } from "./zig-door.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const tools = join(repository, "out/windows-tools/node_modules");

/** Why no project can be on Windows here; null: one can. */
export const hostSkipReason: string | null =
  wineSkipReason ??
  (existsSync(tools) ? null : "no packages for Windows: node test/wine/host/install-tools.js") ??
  (existsSync(join(repository, "dist/cli.js")) ? null : "nothing is built: node build.js");

/** Reason in the name of a skipped test. */
export const hostSkipNote = hostSkipReason ? ` (${hostSkipReason})` : "";

/** What of the repository is in the package. */
const packageParts = ["dist", "src", "package.json", "client.d.ts", "kernel.d.ts", "kernels.lock.schema.json"];

const link = (target: string, path: string): void => symlinkSync(target, path, "junction");

/** The packages: Wine shows a program no links of Linux, so each is a folder of the project there. */
async function installPackages(modules: string): Promise<() => void> {
  for (const name of readdirSync(tools)) if (!name.startsWith(".")) link(join(tools, name), join(modules, name));
  mkdirSync(join(modules, "unplugin-kernel"));
  for (const part of packageParts) link(join(repository, part), join(modules, "unplugin-kernel", part));
  // Builds on Linux find their own zig in the same project.
  const scope = join(modules, "@zigc");
  mkdirSync(join(scope, "win32-x64/bin"), { recursive: true });
  for (const name of ["cli", "lib", "linux-x64"]) link(join(zigProject, "node_modules/@zigc", name), join(scope, name));
  writeFileSync(join(scope, "win32-x64/package.json"), JSON.stringify({ name: "@zigc/win32-x64", version: "0.16.0" }));
  const bin = join(modules, "@zigc/win32-x64/bin");
  await windowsProgram("zig-door.c", bin, "zig.exe");
  return openZigDoor(join(bin, "door"));
}

const gemm = `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 64, N: 64, K: 64 });
`;

const main = `import wasm from "../ops/gemm.op.ts?tune=wasm";
import native from "../ops/gemm.op.ts?tune=avx2";

const size = 64;
const A = Float32Array.from({ length: size * size }, (_, at) => ((at * 7) % 23) - 11);
const B = Float32Array.from({ length: size * size }, (_, at) => ((at * 5) % 17) - 8);
const C = Float32Array.from({ length: size * size }, (_, at) => {
  let sum = 0;
  for (let k = 0; k < size; k++) sum += A[at - (at % size) + k] * B[k * size + (at % size)];
  return sum;
});
const isRight = [wasm, native].every((kernel) => kernel(A, B).every((value, at) => value === C[at]));
console.log(JSON.stringify({ isRight, twin: native.info.twin, why: native.info.twinReason }));
`;

/** Configurations of both bundlers: the options of the plugin are in the environment, as JSON. */
const esbuildScript = `import { build } from "esbuild";
import kernel from "unplugin-kernel/esbuild";

const plugins = [kernel(JSON.parse(process.env.KERNEL_OPTIONS))];
await build({ entryPoints: ["src/main.js"], bundle: true, platform: "node", format: "esm", outdir: process.env.OUTPUT, plugins });
`;
const viteConfiguration = `import kernel from "unplugin-kernel/vite";

export default {
  plugins: [kernel(JSON.parse(process.env.KERNEL_OPTIONS ?? "{}"))],
  build: { ssr: "src/main.js", outDir: process.env.OUTPUT, minify: false },
};
`;

export interface WindowsProject {
  /** Its folder as Linux knows it; Windows has it as C:\\my project. */
  readonly root: string;
  readonly lockfile: string;
  /** Runs Node there to its end, in the project's folder. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<WineRun>;
  /** Runs a command of ours. */
  command(...args: readonly string[]): Promise<WineRun>;
  close(): void;
}

export async function windowsProject(): Promise<WindowsProject> {
  // The first program makes the drives.
  await startWine(windowsNode, ["-e", "0"], repository).ended;
  const root = join(windowsFolder, "drive_c/my project");
  for (const folder of ["node_modules", "src", "ops"]) mkdirSync(join(root, folder), { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
  write("package.json", JSON.stringify({ type: "module", devDependencies: { "unplugin-kernel": "*", vite: "*" } }));
  write("ops/gemm.op.ts", gemm);
  write("src/main.js", main);
  write("esbuild.mjs", esbuildScript);
  write("vite.config.js", viteConfiguration);
  const system = join(windowsFolder, "drive_c/windows/system32/bcryptprimitives.dll");
  if (!existsSync(system)) {
    const folder = join(root, "../bcrypt");
    mkdirSync(folder);
    link(await windowsProgram("process-prng.c", folder, "bcryptprimitives.dll"), system);
  }
  const close = await installPackages(join(root, "node_modules"));
  const node: WindowsProject["node"] = (args, env) => startWine(windowsNode, args, root, env).ended;
  return {
    root,
    lockfile: join(root, "kernels.lock.json"),
    node,
    command: (...args) => node(["node_modules/unplugin-kernel/dist/cli.js", ...args]),
    close,
  };
}

/** Programs of Windows that run in a project's folder, or were started by those: none when all is done. */
export const programsLeft = (): readonly string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        const isOurs = environment.includes(`WINEPREFIX=${windowsFolder}`);
        return isOurs && /\b(node|zig)\.exe/i.test(command) ? [command] : [];
      } catch {
        // It has ended, or is another user's.
        return [];
      }
    });
