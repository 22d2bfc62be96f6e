// For the tests: gives this process the back end, its modules bundled to JavaScript as a package of it would be published.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { useBackend } from "../../../src/tuner/backend/backend.ts";
import { vtaBackend } from "../backend.ts";

const folder = mkdtempSync(join(tmpdir(), "vta-"));
const sourceOf = (name: string): string => fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
buildSync({
  entryPoints: ["loader", "opener"].map(sourceOf),
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "neutral",
  format: "esm",
});

/** The back end as this process knows it. */
export const backend = vtaBackend({
  loader: pathToFileURL(join(folder, "loader.mjs")).href,
  opener: join(folder, "opener.mjs"),
});

useBackend(backend);
