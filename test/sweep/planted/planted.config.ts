// The repository's settings with a defect of defects.json planted, which PLANTED names. Nothing on disk is changed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import settings from "../../../vitest.config.ts";

interface Defect {
  readonly name: string;
  readonly file: string;
  /** A text that the file has once, and what stands in its place where the defect is planted. */
  readonly now: string;
  readonly then: string;
  /** The tests that have to notice. Default: operators that are drawn. */
  readonly tests?: string;
}

const defects = JSON.parse(readFileSync(join(import.meta.dirname, "defects.json"), "utf8")) as readonly Defect[];
const defect = defects.find(({ name }) => name === process.env.PLANTED);
if (!defect) throw new Error(`no defect is called ${process.env.PLANTED}`);
const path = join(import.meta.dirname, "../../..", defect.file);

const plant = {
  name: "plant",
  enforce: "pre" as const,
  transform(code: string, id: string): string | null {
    if (id !== path) return null;
    if (!code.includes(defect.now)) throw new Error(`${defect.file} has no ${defect.now}`);
    return code.replace(defect.now, () => defect.then);
  },
};

export default defineConfig({
  ...settings,
  plugins: [plant],
  test: { ...settings.test, globalSetup: [], bail: 1 },
});
