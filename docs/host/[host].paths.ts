// The pages of docs/host/: one for each section of docs/bundlers.md.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hostPages } from "../.vitepress/hosts.ts";

const bundlers = join(import.meta.dirname, "../bundlers.md");

export default {
  watch: ["../bundlers.md"],
  paths: () =>
    hostPages(readFileSync(bundlers, "utf8")).map(({ name, title, markdown }) => ({
      params: { host: name, title },
      content: markdown,
    })),
};
