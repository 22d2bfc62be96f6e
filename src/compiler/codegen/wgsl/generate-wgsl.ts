// Flat loop IR of threads → WGSL: one text with an entry point a launch, and how they are dispatched.

import { isFloat } from "../../expr/dtype.ts";
import type { LoopFunc } from "../../ir/loop-ir.ts";
import { walkStmt } from "../../ir/visit.ts";
import { cannotRun } from "../cannot.ts";
import type { GenerateOptions } from "../code-generator.ts";
import { launchBodies } from "../launch-bodies.ts";
import { parametersOf } from "../parameters.ts";
import { createDeclarations } from "./declarations.ts";
import { bytesOfBuffer } from "./elements.ts";
import { launchOf, type TextParts } from "./launch.ts";
import { limitOf } from "./limits.ts";
import { createNames } from "./names.ts";
import { type HelperName, helperTexts } from "./run-time.ts";
import type { WgslFeature } from "./tile-statement.ts";
import type { WgslSource } from "./wgsl-source.ts";

export function generateWgsl(func: LoopFunc, { target, numerics }: GenerateOptions): WgslSource {
  if (numerics === "strict") refuseRoundings(func);
  refuseTypes(func);
  const used = new Set<HelperName>();
  const names = createNames();
  let next = 0;
  const parts: TextParts = {
    names,
    use: (helper) => {
      used.add(helper);
      return helper;
    },
    fresh: (stem) => `uk_${stem}${next++}`,
    declarations: createDeclarations(func, names),
  };
  const limits = { language: "wgsl", mostArrays: limitOf(target, "arraysPerLaunch") } as const;
  const launches = launchBodies(func, limits).map((body, at) =>
    launchOf(body, `${func.name}_${at}`, func, target, parts),
  );
  const features = [...new Set(launches.flatMap((it) => it.features))];
  const texts = [
    ...features.map((it) => `enable ${extensions[it]};`),
    ...parts.declarations.texts(),
    ...helperTexts(used),
    ...launches.map(({ text }) => text),
  ];
  return {
    kind: "wgsl",
    name: func.name,
    parameters: parametersOf(func.buffers),
    text: `${texts.join("\n")}\n`,
    launches: launches.map(({ launch }) => launch),
    scratch: func.buffers
      .filter(({ memory }) => memory === "workspace")
      .map((buffer) => ({ name: buffer.name, bytes: bytesOfBuffer(buffer) })),
    features,
    shuffleLanes: Math.max(0, ...launches.map((it) => it.shuffleLanes)),
  };
}

/** Extensions of the language that come with features of a device. */
const extensions: Readonly<Record<WgslFeature, string>> = {
  "shader-f16": "f16",
  subgroups: "subgroups",
  "chromium-experimental-subgroup-matrix": "chromium_experimental_subgroup_matrix",
};

/** Refuses arithmetic whose roundings have to be those of the reference: compilers for WGSL may fuse products and sums. */
function refuseRoundings({ body }: LoopFunc): void {
  walkStmt(
    body,
    () => {},
    (expr) => {
      if ((expr.kind !== "binary" && expr.kind !== "unary") || !isFloat(expr.dtype as never)) return;
      throw cannotRun("wgsl", 'WGSL leaves roundings to the machine, so it cannot be "strict"', 'numerics "fast"');
    },
  );
}

function refuseTypes({ buffers }: LoopFunc): void {
  const wide = buffers.find(({ dtype }) => dtype === "f64");
  if (wide) throw cannotRun("wgsl", `${wide.name} is f64, and WGSL has no such numbers`, "use f32");
  const fragment = buffers.find(({ memory }) => memory === "fragment");
  if (fragment) {
    throw cannotRun(
      "wgsl",
      `${fragment.name} is kept in fragments, and there are none`,
      "this schedule is for another machine",
    );
  }
}
