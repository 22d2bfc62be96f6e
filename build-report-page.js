// Bundles the page of reports, src/plugin/report/page, into one HTML file without its data. A policy in it lets run only what is in it.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const folder = join(root, "src/plugin/report/page");

const styles = [
  "uplot/dist/uPlot.min.css",
  ...["page", "overview", "tables", "charts", "texts", "narrow", "print"].map((part) => `./${part}.css`),
];

/** One file of text, small. */
export const bundled = async (options) => {
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    write: false,
    legalComments: "none",
    logLevel: "warning",
    target: "es2022",
    ...options,
  });
  return outputFiles[0].text.trim();
};

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function licence() {
  const [, copyright] = /^(Copyright .*)$/m.exec(readFileSync(join(root, "node_modules/uplot/LICENSE"), "utf8"));
  return `Charts are drawn by uPlot. MIT licence, ${copyright}`;
}

/**
 * Runs before uPlot, which formats numbers in the browser's language when it is loaded. WebKitGTK without a locale says "C", which is no
 * language: `Intl` throws, and the page would stay empty.
 */
const knownLanguage =
  'try{new Intl.NumberFormat(navigator.language)}catch{Object.defineProperty(navigator,"language",{value:"en-US"})}';

/** @param file where reports are to find it: dist/report-page.html */
export async function buildReportPage(file) {
  const [script, style] = await Promise.all([
    bundled({ entryPoints: [join(folder, "main.ts")], format: "iife", banner: { js: knownLanguage } }),
    bundled({
      stdin: {
        contents: styles.map((file) => `@import "${file}";`).join(""),
        resolveDir: folder,
        loader: "css",
      },
    }),
  ]);
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const lines = [
    "<!doctype html>",
    `<!-- ${licence()} -->`,
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">`,
    '<link rel="icon" href="data:,">',
    "<title>Kernels</title>",
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    '<main id="report"><noscript>A script in this page makes its tables and charts. It loads nothing from elsewhere.</noscript></main>',
    '<script type="application/json" id="data">{{data}}</script>',
    `<script>${script}</script>`,
    "</body>",
    "</html>",
  ];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
}
