// Kernels on tiles for machines that have none: the instructions in plain C (tiles.h), in the place of the assembler's.
// The instructions are as strict as the processor: a tile outside of a configuration is an illegal instruction.

import { readFileSync } from "node:fs";
import { type CSource, targets } from "../../src/compiler/index.ts";

const softTiles = readFileSync(new URL("tiles.h", import.meta.url), "utf8");

/** The kernel for a machine with AVX2, its tiles in plain C. */
export const onSoftTiles = (source: CSource): CSource => ({
  ...source,
  text: softTiles + source.text,
  features: targets.avx2.features,
});

/** Says whether a kernel has statements on tiles. */
export const isOnTiles = ({ text }: CSource): boolean => text.includes("uk_tile_configure();");
