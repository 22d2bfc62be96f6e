// The words that put the plugin into a configuration: its import, and its call with options.

import { type HostName, hosts, type PluginList, type Site } from "./hosts.ts";

export interface PluginUse {
  /** `vite` for a plugin of Vite, in every framework around it. */
  readonly entry: string;
  readonly site: Site;
  readonly list: PluginList;
  /** File that declarations are written to, relative to the project's folder; null: it has no TypeScript. */
  readonly dts: string | null;
}

export function pluginUse(host: HostName, dts: string | null): PluginUse {
  const { entry = host, options } = hosts[host];
  const place =
    options.kind === "exported" ? options : ({ site: "list", list: { key: "plugins", within: [] } } as const);
  return { entry, site: place.site, list: place.list, dts };
}

/** Quoted specifier of the plugin's module; Nuxt's modules are given by it, without an import. */
export const moduleName = ({ entry }: PluginUse): string => `"unplugin-kernel/${entry}"`;

/** Import of the plugin; null: the host finds it by its name. */
export function pluginImport(use: PluginUse, isCommonJs: boolean, name = usualName(use)): string | null {
  if (use.site === "modules") return null;
  return isCommonJs
    ? `const ${name} = require(${moduleName(use)}).default;`
    : `import ${name} from ${moduleName(use)};`;
}

export const usualName = ({ site }: PluginUse): string => (site === "around" ? "withKernels" : "kernel");

const optionsText = (dts: string | null): string => (dts === null ? "" : `{ dts: "${dts}" }`);

/** The element of the list that the host has, or what comes around its configuration. */
export function pluginCall(use: PluginUse, name = usualName(use), config = "config"): string {
  if (use.site === "modules") return moduleName(use);
  if (use.site !== "around") return `${name}(${optionsText(use.dts)})`;
  return `${name}(${[config, optionsText(use.dts)].filter(Boolean).join(", ")})`;
}

/** Line for the configuration: a property of it, or where there is none the line that exports it. */
export function configLine(use: PluginUse): string {
  switch (use.site) {
    case "list": {
      const list = `${use.list.key}: [${pluginCall(use)}]`;
      const { within } = use.list;
      return within.length === 0 ? `${list},` : within.map((name) => `${name}: { ${list} },`).join(" ");
    }
    case "modules":
      return `modules: [${pluginCall(use)}],`;
    case "around":
      return `export default ${pluginCall(use)};`;
  }
}

/** Lines to add by hand. */
export const handLines = (use: PluginUse, isCommonJs: boolean): readonly string[] =>
  [pluginImport(use, isCommonJs), configLine(use)].filter((line) => line !== null);

/** The whole of a configuration file that there was not. */
export function newConfig(use: PluginUse, defineConfig: string | null): string {
  const own = pluginImport(use, false);
  if (use.site === "around") return `${own}\n\nexport default ${pluginCall(use, usualName(use), "{}")};\n`;
  const options = `{\n  ${configLine(use)}\n}`;
  if (use.site === "modules") return `export default defineNuxtConfig(${options});\n`;
  if (defineConfig === null) return `${own}\n\nexport default ${options};\n`;
  return `import { defineConfig } from "${defineConfig}";\n${own}\n\nexport default defineConfig(${options});\n`;
}
