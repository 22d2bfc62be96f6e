// Frameworks with servers: what they answer to a request is computed there.

import { readdirSync } from "node:fs";
import { imports, typedCall } from "../program.ts";
import type { Project, Row } from "../row.ts";

const install = "npm install --no-audit --no-fund";

/** Copies a server to a folder beside the project, from which no `node_modules` of the project is found. @returns the folder */
function copied({ run, folder }: Project, output: string): string {
  const elsewhere = `${folder}-copied`;
  run(`rm -rf ${elsewhere} && cp -a ${output} ${elsewhere}`);
  return elsewhere;
}

/** Fails where a copied server has left an addon behind. */
function expectAddon(answer: string): string {
  if (answer.includes("cannot be loaded")) throw new Error(`an addon was not copied: ${answer.slice(0, 2000)}`);
  return answer;
}

const nativeImport = "#op/gemm.op.ts?tune=native";
/** Text that a route answers: who computed, and why no better one. */
const withReason = '[said, gemm.info.twinReason].join(" ")';

/** Fails where a build after `tune` has measured, or has a lock of its own. */
function expectFromLock({ folder, read }: Project): void {
  const measured = read("build.log").match(/kernels? from kernels\.lock\.json, \d+ measured/g) ?? [];
  if (measured.length === 0 || measured.some((line) => !line.endsWith(", 0 measured")))
    throw new Error(`the build has measured: ${measured.join("; ")}`);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const locks = files.filter((file) => /(?:^|\/)kernels\.lock\.json$/.test(file));
  if (locks.join() !== "kernels.lock.json") throw new Error(`locks: ${locks.join(", ")}`);
}

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
    const body = `${imports()}\n${imports(nativeImport).replace("gemm", "addon")}\n${typedCall}
const same = \`\${addon(ones, ones)[0] === product[0]} \${addon.info.twinReason}\`;`;
    write(
      "app/app.vue",
      `<script setup lang="ts">\n${body}\n</script>\n\n<template>\n  <div>{{ said }} {{ same }}</div>\n</template>\n`,
    );
    write(
      "server/api/gemm.ts",
      `${imports(nativeImport)}\n\nexport default defineEventHandler(() => {\n${typedCall}\n  return ${withReason};\n});\n`,
    );
  },
  check: "npx nuxt typecheck",
  build: "npm run build > build.log 2>&1 || (cat build.log; exit 1)",
  async answer(project) {
    expectFromLock(project);
    const server = `node ${copied(project, ".output")}/server/index.mjs`;
    return expectAddon(`${await project.ask(server)} ${await project.ask(server, "/api/gemm")}`);
  },
};

/** With a page, which is computed by the build, and a route, which asks for an addon; run from the files that Next copies. */
const next: Row = {
  name: "next",
  made: "by its maker",
  packages: ["next", "react", "typescript"],
  create({ run, read, write }) {
    // --empty: without Google's fonts, which builds download.
    const options = "--ts --app --empty --no-tailwind --no-eslint --no-src-dir --turbopack --use-npm --skip-install";
    run(`npx -y create-next-app@16 . ${options} --import-alias "@/*" --disable-git --yes`);
    run(install);
    const config = read("next.config.ts");
    write("next.config.ts", config.replace("= {", '= {\n  output: "standalone",'));
  },
  write({ write }) {
    write(
      "app/page.tsx",
      `${imports()}

export default function Home() {
${typedCall}
  return <main>{said}</main>;
}
`,
    );
    write(
      "app/api/gemm/route.ts",
      `import { connection } from "next/server";
${imports(nativeImport)}

export async function GET() {
  await connection();
${typedCall}
  return new Response(${withReason});
}
`,
    );
  },
  check: "by build",
  build: "npm run build",
  async answer(project) {
    const server = `node ${copied(project, ".next/standalone")}/server.js`;
    return expectAddon(`${await project.ask(server)} ${await project.ask(server, "/api/gemm")}`);
  },
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
