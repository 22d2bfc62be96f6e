// Frameworks that are plugins of Vite, and Electron, whose Vite has a configuration of its own.

import { titleOf } from "../page.ts";
import { imports, program, typedCall } from "../program.ts";
import type { Project, Row } from "../row.ts";

const install = "npm install --no-audit --no-fund";

/** Its maker takes templates from GitHub: this is the least of the one called default. */
function createReactRouter({ run, write }: Project): void {
  const packageJson = {
    name: "app",
    private: true,
    type: "module",
    scripts: {
      build: "react-router build",
      dev: "react-router dev",
      start: "react-router-serve ./build/server/index.js",
      typecheck: "react-router typegen && tsc",
    },
  };
  write("package.json", JSON.stringify(packageJson, null, 2));
  const compilerOptions = {
    lib: ["DOM", "DOM.Iterable", "ES2022"],
    types: ["node", "vite/client"],
    target: "ES2022",
    module: "ES2022",
    moduleResolution: "bundler",
    jsx: "react-jsx",
    rootDirs: [".", "./.react-router/types"],
    paths: { "~/*": ["./app/*"] },
    esModuleInterop: true,
    verbatimModuleSyntax: true,
    noEmit: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    strict: true,
  };
  const include = ["**/*", "**/.server/**/*", "**/.client/**/*", ".react-router/types/**/*"];
  write("tsconfig.json", JSON.stringify({ include, compilerOptions }, null, 2));
  write(
    "vite.config.ts",
    `import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [reactRouter()],
});
`,
  );
  write(
    "app/root.tsx",
    `import { Outlet, Scripts } from "react-router";

export default function App() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  );
}
`,
  );
  write(
    "app/routes.ts",
    `import { index, type RouteConfig } from "@react-router/dev/routes";

export default [index("routes/home.tsx")] satisfies RouteConfig;
`,
  );
  write("app/routes/home.tsx", "export default function Home() {\n  return <h1>Home</h1>;\n}\n");
  // All parts have one release, since they depend on each other at the same version.
  const release = "7.18.4";
  const parts = ["react-router", "@react-router/node", "@react-router/serve"].map((name) => `${name}@${release}`);
  run(`${install} ${parts.join(" ")} isbot react@19 react-dom@19`);
  const tools = `@react-router/dev@${release} vite@7 typescript@5 @types/node@22 @types/react@19 @types/react-dom@19`;
  run(`${install} --save-dev ${tools}`);
}

const component = (name: string, prefix = ""): string => `${imports()}
${prefix}
function ${name}() {
${typedCall}
  return <main>{said}</main>;
}
`;

const reactRouter: Row = {
  name: "react-router",
  made: "as its maker would",
  packages: ["react-router", "vite", "typescript"],
  node: "22",
  create: createReactRouter,
  write: ({ write }) => write("app/routes/home.tsx", `${component("Home")}\nexport default Home;\n`),
  check: "npm run typecheck",
  build: "npm run build",
  answer: ({ ask }) => ask("npm start"),
};

const tanstackStart: Row = {
  name: "tanstack-start",
  made: "by its maker",
  packages: ["@tanstack/react-start", "vite", "typescript"],
  node: "22",
  create({ run }) {
    const options = "--target-dir . --force --blank --no-install --no-git --no-intent --package-manager npm --yes";
    run(`npx -y @tanstack/cli@0 create app ${options}`);
    run(install);
    // This script writes the types of routes.
    run("npm run generate-routes");
  },
  write({ write }) {
    const route = `import { createFileRoute } from "@tanstack/react-router";\n`;
    const own = `\nexport const Route = createFileRoute("/")({ component: Home });\n`;
    write("src/routes/index.tsx", route + component("Home", own));
  },
  check: "npx tsc",
  build: "npm run build",
  answer: ({ ask }) => ask("npx vite preview --port $PORT"),
};

const qwik: Row = {
  name: "qwik",
  made: "by its maker",
  packages: ["@builder.io/qwik", "vite", "typescript"],
  create({ run }) {
    run("npx -y create-qwik@1 empty ./qwik-app && cp -a qwik-app/. . && rm -r qwik-app");
    run(install);
  },
  write: ({ write }) =>
    write(
      "src/routes/index.tsx",
      `import { component$ } from "@builder.io/qwik";
${imports()}

export default component$(() => {
${typedCall}
  return <h1>{said}</h1>;
});
`,
    ),
  check: "npm run build.types",
  build: "npm run build",
  answer: ({ ask }) => ask("npm run preview -- --port $PORT"),
};

/** Electron itself comes from GitHub: what is asked is the page, and the program is built. */
const electron: Row = {
  name: "electron-vite",
  made: "by its maker",
  packages: ["electron-vite", "vite", "typescript"],
  create({ run }) {
    run("npm create -y @quick-start/electron@1 electron-app -- --template react-ts --skip");
    run("cp -a electron-app/. . && rm -r electron-app");
    run(`${install} --ignore-scripts`);
  },
  write({ append, read, write }) {
    append("src/main/index.ts", `\n${program("console.log", typedCall, "#op/gemm.op.ts?tune=native")}`);
    append("src/renderer/src/main.tsx", `\n${program("((text: string) => void (document.title = text))")}`);
    // Its page allows no WebAssembly.
    const page = "src/renderer/index.html";
    write(page, read(page).replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"));
  },
  check: "npm run typecheck",
  build: "npx electron-vite build",
  answer: (project) => titleOf(project, "out/renderer"),
};

export const viteFrameworkRows: readonly Row[] = [reactRouter, tanstackStart, qwik, electron];
