// A kernel's module as a file under the cache directory, which Jest loads from there: its folder, and its name by its code.

import { join } from "node:path";
import { sha256 } from "../../../compiler/index.ts";
import type { Format } from "../../jest/imports.ts";

export const modulesFolder = (cacheDir: string): string => join(cacheDir, "jest");

const extension: Readonly<Record<Format, string>> = { esm: "mjs", cjs: "cjs" };

const digestIn = (code: string | Uint8Array): string => sha256(code).slice(0, 16);

export const moduleFileName = (kernel: string, code: string, format: Format): string =>
  `${kernel}-${digestIn(code)}.${extension[format]}`;

/** Says whether the bytes of a file are those that its name tells of. */
export const isModuleOfItsName = (name: string, bytes: Uint8Array): boolean =>
  Object.values(extension).some((end) => name.endsWith(`-${digestIn(bytes)}.${end}`));
