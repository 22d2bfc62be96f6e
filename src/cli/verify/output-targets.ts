// A build's output → the classes of engines and the systems that its scripts name: the options of the bundler that `verify` has to build the
// kernels with again. A name that another package has brought costs a kernel more that is built.

import { readFileSync } from "node:fs";
import { type EngineClass, engineClasses, targetForEngine } from "../../compiler/index.ts";
import { platformHere, platformNames } from "../../native/toolchain/platform.ts";
import type { ResolvedOptions } from "../../plugin/options/options.ts";
import { filesBelow, isScript } from "./shipped.ts";

type Named = Pick<ResolvedOptions, "engines" | "platforms">;

const targetOf = (engine: EngineClass): string => targetForEngine({ name: "wasm" }, engine)!;

/** Returns options with what the output has beside what they ask for. This machine's own addon is always built again. */
export function withOutput<Options extends Named>(options: Options, folder: string | null): Options {
  if (folder === null) return options;
  const texts = filesBelow(folder)
    .filter(isScript)
    .map((path) => readFileSync(path, "utf8"));
  const isNamed = (name: string): boolean => texts.some((text) => new RegExp(`(["'\`])${name}\\1`).test(text));
  const engines = engineClasses.filter((it) => options.engines.includes(it) || isNamed(targetOf(it)));
  const platforms = platformNames.filter((it) => it !== platformHere && isNamed(it));
  const others = platforms.length > 0 ? { platforms: [platformHere, ...platforms] } : {};
  return { ...options, engines, ...others };
}
