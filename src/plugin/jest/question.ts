// Messages between Jest's transformer and the worker that compiles: a question, and its answer.

import type { KernelPluginOptions } from "../options/types.ts";
import type { Format } from "./imports.ts";

export interface Question {
  /** Root folder of the Jest project. */
  readonly root: string;
  readonly options: KernelPluginOptions;
  /** Absolute path of the script that imports. */
  readonly importer: string;
  readonly specifiers: readonly string[];
}

/** Paths of a kernel's modules. Their names have a digest of what is in them. */
export type ModulePaths = Readonly<Record<Format, string>>;

export interface Mistake {
  readonly message: string;
  readonly specifier: string;
}

export interface Answer {
  /** Modules by specifier; one whose file is not found, or is no operator file, is left out. */
  readonly modules: Readonly<Record<string, ModulePaths>>;
  /** The first failure, and the import that asks for it; null: there is none. */
  readonly mistake: Mistake | null;
}
