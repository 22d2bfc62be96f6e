// Jest's transformer of scripts that import kernels. Jest drops the query of an import before it asks anybody, so the imports themselves
// are changed: each names the module of its kernel. All else is the work of the transformer within, which was configured before.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sha256 } from "../../compiler/index.ts";
import { packageFile } from "../../native/machine/package-file.ts";
import { startWaitingWorker } from "../../native/process/waiting-worker.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import { kernelSpecifiers, replaceSpecifiers } from "./imports.ts";
import type { Answer, Mistake, Question } from "./question.ts";

/** Facts of a file that Jest passes to a transformer, as far as we use them. */
export interface TransformOptions {
  readonly config: { readonly rootDir: string };
  readonly configString: string;
  readonly instrument: boolean;
  readonly supportsStaticESM: boolean;
}

interface Transformed {
  readonly code: string;
  readonly map?: unknown;
}

type Transform<Result> = (source: string, path: string, options: TransformOptions) => Result;

/** Members of a transformer of Jest that we use. */
export interface Transformer {
  readonly canInstrument?: boolean;
  readonly process?: Transform<Transformed | string>;
  readonly processAsync?: Transform<Promise<Transformed | string>>;
  readonly getCacheKey?: Transform<string>;
  readonly getCacheKeyAsync?: Transform<Promise<string>>;
}

interface TransformerModule extends Transformer {
  readonly default?: TransformerModule;
  createTransformer?(config: unknown): Transformer | Promise<Transformer>;
}

export interface TransformerConfig {
  /** Transformer within, by name or path, and its configuration (default: {}); null: the text stays as it is. */
  readonly inner: string | readonly [name: string, config?: unknown] | null;
  /** Default: {}. */
  readonly options?: KernelPluginOptions;
  /** Folder from which the transformer within is found. Default: where Jest was started. */
  readonly root?: string;
}

/** Loads what Jest would have loaded: a transformer, or what makes one. */
async function loadInner({ inner, root = process.cwd() }: TransformerConfig): Promise<Transformer> {
  if (inner === null) return { process: (source) => source };
  const [name, config = {}] = typeof inner === "string" ? [inner] : inner;
  const path = createRequire(join(root, "package.json")).resolve(name);
  let module = (await import(pathToFileURL(path).href)) as TransformerModule;
  while (module.default && !module.createTransformer && !module.process && !module.processAsync)
    module = module.default;
  return module.createTransformer ? module.createTransformer(config) : module;
}

type Modules = Answer["modules"];

/** Error whose one line of a stack is the import: Jest shows the source there. */
function mistakeAt({ message, specifier }: Mistake, source: string, importer: string): Error {
  const before = source.slice(0, Math.max(0, source.indexOf(specifier) - 1)).split("\n");
  const place = `${importer}:${before.length}:${before.at(-1)!.length + 1}`;
  return Object.assign(new Error(message), { stack: `${message}\n    at ${place}` });
}

/** Asks the worker, which is started with the first script that imports a kernel. */
let ask: ((question: string) => Answer) | null = null;

/** @throws with the mistake that the user made in an import or an operator */
function modulesFor(question: Question, source: string): Modules {
  ask ??= startWaitingWorker<Answer>(pathToFileURL(packageFile("dist/jest-modules.js")));
  const { modules, mistake } = ask(JSON.stringify(question));
  if (mistake) throw mistakeAt(mistake, source, question.importer);
  return modules;
}

/** Digest of all that the text of a file depends on, for transformers that give none. */
const plainKey: Transform<string> = (source, path, { configString, instrument, supportsStaticESM }) =>
  sha256(JSON.stringify([source, path, configString, instrument, supportsStaticESM]));

/**
 * Makes a transformer that knows kernels of the one within. Jest calls it, once a process. A configuration in JSON names it; in a script
 * `withKernels` of unplugin-kernel/jest does.
 *
 * @example
 *   "transform": { "^.+\\.ts$": ["unplugin-kernel/jest-transformer", { "inner": "ts-jest" }] }
 */
export async function createTransformer(config: TransformerConfig): Promise<Transformer> {
  const inner = await loadInner(config);
  const { options: kernelOptions = {} } = config;
  /** Modules by importer, as its last key had them: Jest asks for the key of a text before it has it transformed. */
  const known = new Map<string, Modules>();

  const modulesOf: Transform<Modules> = (source, importer, { config: { rootDir: root } }) => {
    const specifiers = kernelSpecifiers(source);
    return specifiers.length === 0 ? {} : modulesFor({ root, options: kernelOptions, importer, specifiers }, source);
  };
  const note: Transform<string> = (source, path, options) => {
    const modules = modulesOf(source, path, options);
    known.set(path, modules);
    return JSON.stringify(modules);
  };
  const withKernels = (made: Transformed | string, modules: Modules, isModule: boolean): Transformed => {
    const { code, ...rest } = typeof made === "string" ? { code: made } : made;
    return { ...rest, code: replaceSpecifiers(code, isModule, (specifier, format) => modules[specifier]?.[format]) };
  };
  const processNow: Transform<Transformed> = (source, path, options) => {
    if (!inner.process) throw new Error(`the transformer of ${path} is for modules alone: it has no process()`);
    const modules = known.get(path) ?? modulesOf(source, path, options);
    return withKernels(inner.process(source, path, options), modules, options.supportsStaticESM);
  };
  const keyNow: Transform<string> = (source, path, options) =>
    sha256((inner.getCacheKey ?? plainKey)(source, path, options) + note(source, path, options));

  return {
    canInstrument: inner.canInstrument ?? false,
    process: processNow,
    async processAsync(source, path, options) {
      if (!inner.processAsync) return processNow(source, path, options);
      const modules = known.get(path) ?? modulesOf(source, path, options);
      return withKernels(await inner.processAsync(source, path, options), modules, options.supportsStaticESM);
    },
    getCacheKey: keyNow,
    async getCacheKeyAsync(source, path, options) {
      if (!inner.getCacheKeyAsync) return keyNow(source, path, options);
      return sha256((await inner.getCacheKeyAsync(source, path, options)) + note(source, path, options));
    },
  };
}
