// The compiler's part of the back end: its passes, and flat loops → the listing of a program.

import {
  type CodeGenerator,
  cannotRun,
  type KernelSource,
  type LoopFunc,
  parametersOf,
} from "../../src/compiler/index.ts";
import { generateProgram } from "./generate/generate-program.ts";
import { Refusal } from "./generate/refusal.ts";
import { printProgram } from "./isa/print-program.ts";
import { vta } from "./machine.ts";
import { passes } from "./passes.ts";

export interface VtaSource extends KernelSource {
  readonly kind: "vta";
  /** Program as text, which `decodeProgram` reads. */
  readonly listing: string;
}

export const vtaGenerator: CodeGenerator<VtaSource> = {
  name: "vta",
  language: "VTA",
  extension: "vta",
  needsToolchain: false,
  passes,
  generate: (flat) => ({
    kind: "vta",
    name: flat.name,
    parameters: parametersOf(flat.buffers),
    listing: listingOf(flat),
  }),
  print: listingOf,
  code: ({ listing }) => listing,
  sizeOf: ({ listing }) => ({
    statements: listing.split("\n").length,
    bytes: listing.length,
    workspaceBytes: null,
    characters: 0,
  }),
};

/** A refusal becomes a diagnostic: the schedule is one that the machine cannot run. */
function listingOf(flat: LoopFunc): string {
  try {
    return printProgram(generateProgram(flat, vta));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw cannotRun(
      "vta",
      error.message,
      "the machine multiplies matrices of i8, and computes i32 along rows of the result",
    );
  }
}
