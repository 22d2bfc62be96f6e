// Small programs of Windows, made by zig of a C file beside this one, without a C library.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInGroup } from "../../../src/native/toolchain/run-in-group.ts";
import { zig } from "../../../src/native/toolchain/zig.ts";
import { toolchains } from "../../native/compiled.ts";

/** Zig of this machine. */
export const zigHere = toolchains.find(({ family }) => family === "zig") ?? null;

async function zigCc(args: readonly string[], folder: string): Promise<void> {
  const { path, environment } = zigHere!;
  const env = { PATH: process.env.PATH, ...environment, ...zig.privateFiles(folder) };
  const result = await runInGroup(path, ["cc", ...args], { folder, env, timeoutMs: 300_000 });
  if (result.kind !== "done") throw new Error(result.kind === "failed" ? result.output : "zig was late");
}

const options = ["-target", "x86_64-windows-gnu", "-O1", "-s", "-g0", "-fno-sanitize=undefined", "-fno-builtin"];

/**
 * Makes an executable, which begins with `start`, or a library, by the end of its name.
 *
 * @param folder for it, and for what zig leaves behind
 */
export async function windowsProgram(source: string, folder: string, name: string): Promise<string> {
  const object = join(folder, `${name}.o`);
  await zigCc([...options, "-c", fileURLToPath(new URL(source, import.meta.url)), "-o", object], folder);
  const kind = name.endsWith(".dll") ? ["-shared", "-Wl,--entry=DllMainCRTStartup"] : ["-Wl,--entry=start"];
  const libraries = ["-lkernel32", "-ladvapi32"];
  await zigCc([...options, "-nostdlib", ...kind, ...libraries, object, "-o", join(folder, name)], folder);
  return join(folder, name);
}
