// The documentation site: the markdown of this folder, as it also reads on GitHub, with a sidebar and a search.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineConfig } from "vitepress";
import { standIns } from "./browser/stand-ins.ts";
import { hostPages } from "./hosts.ts";
import { withInstallTabs } from "./install-tabs.ts";
import { sidebar } from "./sidebar.ts";
import { slugOf } from "./slug.ts";

/** Path of the site on its server: "/unplugin-kernel/" below a project's address. */
const base = process.env.DOCS_BASE ?? "/";
const docs = join(import.meta.dirname, "..");
const hosts = hostPages(readFileSync(join(docs, "bundlers.md"), "utf8"));

/** The plugin as it was built: by its address, or it would become a part of this configuration. */
const { default: kernel } = (await import(
  pathToFileURL(join(docs, "../dist/vite.js")).href
)) as typeof import("../../src/plugin/entries/vite.ts");

export default defineConfig({
  title: "unplugin-kernel",
  description: "A few lines of TypeScript, and the build makes the fastest WASM or native code of them.",
  lang: "en",
  base,
  head: [["link", { rel: "icon", href: `${base}icon.svg` }]],
  markdown: {
    anchor: { slugify: slugOf },
    config(md) {
      md.core.ruler.after("normalize", "install-tabs", (state) => {
        state.src = withInstallTabs(state.src);
      });
      // Indented code looks as code between fences does.
      md.renderer.rules.code_block = (tokens, at, options, env, self) => {
        tokens[at]!.info = "sh";
        return md.renderer.rules.fence!(tokens, at, options, env, self);
      };
    },
  },
  vite: {
    // The kernels of live pages are those of docs/kernels.lock.json; where it is out of date they are predicted, and the pages say so.
    plugins: [kernel({ root: docs, mode: "frozen", onMiss: "fallback" }) as never],
    // The playground's worker has the compiler in it.
    resolve: { alias: [...standIns] },
    worker: { format: "es" },
    server: { fs: { allow: [join(docs, "..")] } },
    build: { chunkSizeWarningLimit: 1000 },
  },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/first-kernel" },
      { text: "Playground", link: "/playground" },
      { text: "Live", link: "/live/search" },
      { text: "Reference", link: "/plugin" },
    ],
    sidebar: sidebar(hosts).map(({ items, ...group }) => ({ ...group, items: [...items] })),
    outline: { level: [2, 3] },
    socialLinks: [],
  },
});
