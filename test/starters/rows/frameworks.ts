// Frameworks with servers: what they answer to a request is computed there.

import { imports, typedCall } from "../program.ts";
import type { Project, Row } from "../row.ts";

const install = "npm install --no-audit --no-fund";

const sveltekit: Row = {
  name: "sveltekit",
  made: "by its maker",
  packages: ["@sveltejs/kit", "svelte", "vite", "typescript"],
  create({ run }) {
    run("npx -y sv create . --template minimal --types ts --no-add-ons --no-install --no-dir-check");
    run(install);
  },
  write: ({ write }) =>
    write("src/routes/+page.svelte", `<script lang="ts">\n${imports()}\n${typedCall}\n</script>\n\n<h1>{said}</h1>\n`),
  check: "npm run check",
  build: "npm run build",
  answer: ({ ask }) => ask("npx vite preview --port $PORT"),
};

/** Its maker takes templates from GitHub: this is the one called minimal. */
function createNuxt({ write, run }: Project): void {
  const packageJson = {
    name: "nuxt-app",
    type: "module",
    private: true,
    scripts: {
      build: "nuxt build",
      dev: "nuxt dev",
      generate: "nuxt generate",
      preview: "nuxt preview",
      postinstall: "nuxt prepare",
    },
    dependencies: { nuxt: "^4.0.0", vue: "^3.5.0", "vue-router": "^4.5.0" },
  };
  write("package.json", JSON.stringify(packageJson, null, 2));
  write(
    "nuxt.config.ts",
    `// https://nuxt.com/docs/api/configuration/nuxt-config
export default defineNuxtConfig({
  compatibilityDate: '2025-07-15',
  devtools: { enabled: true }
})
`,
  );
  write("app/app.vue", "<template>\n  <div>\n    <NuxtWelcome />\n  </div>\n</template>\n");
  const references = ["app", "server", "shared", "node"].map((name) => ({ path: `./.nuxt/tsconfig.${name}.json` }));
  write("tsconfig.json", JSON.stringify({ files: [], references }, null, 2));
  run(install);
  // Packages that `nuxt typecheck` asks for.
  run(`${install} --save-dev vue-tsc typescript@5`);
}

const nuxt: Row = {
  name: "nuxt",
  made: "as its maker would",
  packages: ["nuxt", "vite", "nitropack", "typescript"],
  create: createNuxt,
  // A page, by Vite, and a route of the server, by Nitro's Rollup, that asks for an addon.
  write({ write }) {
    const native = "#op/gemm.op.ts?tune=native";
    const body = `${imports()}\n${imports(native).replace("gemm", "addon")}\n${typedCall}\nconst same = addon(ones, ones)[0] === product[0];`;
    write(
      "app/app.vue",
      `<script setup lang="ts">\n${body}\n</script>\n\n<template>\n  <div>{{ said }} {{ same }}</div>\n</template>\n`,
    );
    write(
      "server/api/gemm.ts",
      `${imports(native)}\n\nexport default defineEventHandler(() => {\n${typedCall}\n  return said;\n});\n`,
    );
  },
  check: "npx nuxt typecheck",
  build: "npm run build",
  async answer({ ask }) {
    const server = "node .output/server/index.mjs";
    return `${await ask(server)} ${await ask(server, "/api/gemm")}`;
  },
};

const next: Row = {
  name: "next",
  made: "by its maker",
  packages: ["next", "react", "typescript"],
  create({ run }) {
    // --empty: without Google's fonts, which builds download.
    const options = "--ts --app --empty --no-tailwind --no-eslint --no-src-dir --turbopack --use-npm --skip-install";
    run(`npx -y create-next-app@16 . ${options} --import-alias "@/*" --disable-git --yes`);
    run(install);
  },
  write: ({ write }) =>
    write(
      "app/page.tsx",
      `${imports()}

export default function Home() {
${typedCall}
  return <main>{said}</main>;
}
`,
    ),
  check: "by build",
  build: "npm run build",
  answer: ({ ask }) => ask("npx next start -p $PORT"),
};

/** The older router, in a project with src/. */
const nextPages: Row = {
  name: "next-pages",
  made: "by its maker",
  packages: ["next", "react", "typescript"],
  create({ run }) {
    const options = "--ts --no-app --empty --no-tailwind --no-eslint --src-dir --turbopack --use-npm --skip-install";
    run(`npx -y create-next-app@16 . ${options} --import-alias "@/*" --disable-git --yes`);
    run(install);
  },
  write({ write }) {
    write(
      "src/pages/index.tsx",
      `${imports()}\n\nexport default function Home() {\n${typedCall}\n  return <main>{said}</main>;\n}\n`,
    );
    write(
      "src/pages/api/gemm.ts",
      `import type { NextApiRequest, NextApiResponse } from "next";
${imports()}

export default function handler(_: NextApiRequest, response: NextApiResponse) {
${typedCall}
  response.send(said);
}
`,
    );
  },
  check: "by build",
  build: "npm run build",
  answer: async ({ ask }) => {
    const server = "npx next start -p $PORT";
    return `${await ask(server)} ${await ask(server, "/api/gemm")}`;
  },
};

/** Its maker takes templates from GitHub: this is the one called minimal. */
function createAstro({ write, run }: Project): void {
  const scripts = { dev: "astro dev", build: "astro build", preview: "astro preview", astro: "astro" };
  const packageJson = { name: "app", type: "module", version: "0.0.1", scripts, dependencies: { astro: "^7.0.0" } };
  write("package.json", JSON.stringify(packageJson, null, 2));
  write(
    "astro.config.mjs",
    `// @ts-check
import { defineConfig } from 'astro/config';

// https://astro.build/config
export default defineConfig({});
`,
  );
  const tsconfig = { extends: "astro/tsconfigs/strict", include: [".astro/types.d.ts", "**/*"], exclude: ["dist"] };
  write("tsconfig.json", JSON.stringify(tsconfig, null, 2));
  write("src/pages/index.astro", '---\n---\n<html lang="en"><body><h1>Astro</h1></body></html>\n');
  run(install);
  run(`${install} --save-dev @astrojs/check typescript@5`);
}

const astro: Row = {
  name: "astro",
  made: "as its maker would",
  packages: ["astro", "vite", "typescript"],
  node: "22",
  create: createAstro,
  write: ({ write }) =>
    write(
      "src/pages/index.astro",
      `---\n${imports()}\n${typedCall}\n---\n<html lang="en"><body><h1>{said}</h1></body></html>\n`,
    ),
  check: "npx astro check",
  build: "npm run build",
  answer: ({ read }) => read("dist/index.html"),
};

export const frameworkRows: readonly Row[] = [sveltekit, nuxt, next, nextPages, astro];
