// For the tests: gives this process the back end, its loader bundled to JavaScript as a package of it would be published.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { useBackend } from "../../../src/tuner/backend/backend.ts";
import { vtaBackend } from "../backend.ts";

const outfile = join(mkdtempSync(join(tmpdir(), "vta-")), "loader.mjs");
buildSync({
  entryPoints: [fileURLToPath(new URL("../loader.ts", import.meta.url))],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
});

/** The back end as this process knows it. */
export const backend = vtaBackend(pathToFileURL(outfile).href);

useBackend(backend);
