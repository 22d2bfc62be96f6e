// `export default withKernels(config)` in jest.config: imports with `?tune=` are kernels in tests that Jest runs.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../native/machine/package-file.ts";
import type { TransformerConfig } from "../jest/transformer.ts";
import type { KernelPluginOptions } from "../options/types.ts";

export type * from "../options/types.ts";

type Transforms = Readonly<Record<string, string | readonly [string, unknown]>>;

/** Parts of Jest's configuration that we use. */
interface JestConfiguration {
  readonly rootDir?: string;
  readonly preset?: string | null;
  readonly transform?: Transforms;
  readonly projects?: readonly (string | JestConfiguration)[];
}

/** Jest's default, where neither configuration nor preset has transformers. */
const byBabel: Transforms = { "\\.[jt]sx?$": "babel-jest" };

/** Every script, for those that no other transformer takes. */
const everyScript = "\\.[cm]?[jt]sx?$";

const presetFiles = ["jest-preset.json", "jest-preset.js", "jest-preset.cjs", "jest-preset.mjs"];

/** The transformers of a preset; undefined: it has none, or Jest will say that it is not there. */
async function transformsOf(preset: string, root: string): Promise<Transforms | undefined> {
  const resolveFile = createRequire(join(root, "package.json")).resolve;
  for (const file of presetFiles) {
    const path = locate(() => (/^\.\.?\//.test(preset) ? join(root, preset, file) : resolveFile(`${preset}/${file}`)));
    if (path === null) continue;
    if (file.endsWith(".json")) return (JSON.parse(readFileSync(path, "utf8")) as JestConfiguration).transform;
    const loaded = (await import(pathToFileURL(path).href)) as JestConfiguration & {
      readonly default?: JestConfiguration;
    };
    return (loaded.default ?? loaded).transform;
  }
  return undefined;
}

function locate(find: () => string): string | null {
  try {
    const path = find();
    return isAbsolute(path) && existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

async function wire(
  config: JestConfiguration,
  options: KernelPluginOptions,
  folder: string,
): Promise<JestConfiguration> {
  const root = resolve(folder, (config.rootDir ?? "").replace("<rootDir>", folder));
  const { projects } = config;
  if (projects) {
    const wired = projects.map((one) => (typeof one === "string" ? one : wire(one, options, root)));
    return { ...config, projects: await Promise.all(wired) };
  }
  const preset = config.preset ? await transformsOf(config.preset, root) : undefined;
  const given = config.transform || preset ? { ...config.transform, ...without(preset, config.transform) } : byBabel;
  const wrap = (inner: TransformerConfig["inner"]): readonly [string, TransformerConfig] => [
    packageFile("dist/jest-transformer.js"),
    { inner, options, root },
  ];
  const wrapped = Object.entries(given).map(([pattern, inner]) => {
    const [name, its = {}] = typeof inner === "string" ? [inner] : inner;
    return [pattern, wrap([name.replace("<rootDir>", root), its])] as const;
  });
  // Jest takes the first pattern that fits.
  const transform = Object.fromEntries([...wrapped, ...(everyScript in given ? [] : [[everyScript, wrap(null)]])]);
  return { ...config, transform };
}

/** A preset's transformers, less those whose pattern the configuration has too. */
const without = (preset: Transforms = {}, own: Transforms = {}): Transforms =>
  Object.fromEntries(Object.entries(preset).filter(([pattern]) => !(pattern in own)));

/**
 * Makes each transformer of a Jest configuration one that knows kernels. A kernel that is not in the lock gets the schedule that the model
 * takes for the best, and nothing is measured; with `CI` it is an error.
 *
 * @param config Jest's configuration, or a function that gives it
 * @param options of the plugin, which are handed on to Jest's workers: only what JSON has, so patterns are globs
 * @returns a function, which Jest calls
 *
 * @example
 *   // jest.config.js
 *   import withKernels from "unplugin-kernel/jest";
 *   export default withKernels({ preset: "ts-jest" });
 */
export default function withKernels(
  config: object | (() => object | Promise<object>) = {},
  options: KernelPluginOptions = {},
): () => Promise<Record<string, unknown>> {
  return async () => {
    const given = typeof config === "function" ? await config() : config;
    return { ...(await wire(given, options, process.cwd())) };
  };
}
