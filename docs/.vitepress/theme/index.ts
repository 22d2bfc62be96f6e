// The look of the site: VitePress's own, in other colours, and the components of the pages that do something.

import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { type Component, defineAsyncComponent } from "vue";
import "./look.css";
import "./playground.css";
import "./live.css";

/** By the names that pages call them; each is loaded with the page that has it. */
const components: Readonly<Record<string, () => Promise<Component>>> = {
  KernelPlayground: () => import("./KernelPlayground.vue"),
  LiveSearch: () => import("./LiveSearch.vue"),
  LiveImage: () => import("./LiveImage.vue"),
  LiveLayer: () => import("./LiveLayer.vue"),
};

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    for (const [name, load] of Object.entries(components)) app.component(name, defineAsyncComponent(load));
  },
} satisfies Theme;
