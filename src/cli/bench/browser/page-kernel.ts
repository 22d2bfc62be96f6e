// One kernel for the page of a bench: modules with each of its twins as a page gets them, what its tensors hold before a call, and the
// check of what they hold after it, which is the command's.

import { arrayTypes, DiagnosticError, factsOf, newArray, type TypedArray } from "../../../compiler/index.ts";
import { BadBody, type PageFile, type PageSite, type Post } from "../../../native/network/page-listener.ts";
import { emitModule } from "../../../plugin/binding/module/module.ts";
import { placeAssets } from "../../../plugin/binding/module/place.ts";
import type { RuntimeFiles } from "../../../plugin/binding/runtime-files.ts";
import { compileInContext } from "../../../plugin/kernel/compile/compile-kernel.ts";
import type { CompiledKernel } from "../../../plugin/kernel/compiled-kernel.ts";
import { twinOf } from "../../../plugin/kernel/twin.ts";
import type { Twin } from "../../../plugin/options/types.ts";
import type { ParsedRequest } from "../../../plugin/request/request.ts";
import { slashPath } from "../../../plugin/support/shown-path.ts";
import type { Project } from "../../project/project.ts";
import { alone } from "../entrants.ts";
import { type Right, rightOf } from "../right-outputs.ts";
import type { PlannedBench, PlannedKernel } from "./visit.ts";

/** Addresses of what the modules import. */
export const runtimeFiles: RuntimeFiles = {
  runtime: "/runtime.js",
  cuda: "/runtime-cuda.js",
  workerText: "/kernel-worker-text.js",
};

export interface PageKernel extends PageSite {
  readonly planned: PlannedKernel;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Files of the module and what it comes with, as for a browser. */
function* moduleFiles(kernel: CompiledKernel, sync: boolean | null, path: string): Generator<[string, PageFile]> {
  const files: [string, PageFile][] = [];
  const references = placeAssets(kernel, "browser", sync, ({ role, fileName, bytes }) => {
    const type = role === "worker" ? "text/javascript" : "application/wasm";
    files.push([new URL(fileName, `http://page${path}`).pathname, { type, body: bytes }]);
    return `new URL("./${fileName}", import.meta.url).href`;
  });
  yield* files;
  yield [path, { type: "text/javascript", body: emitModule(kernel, references, { files: runtimeFiles }) }];
}

const withoutTwin = "the import says fallback=none: pages get no twin";

function twinsOf(kernel: CompiledKernel): PlannedBench["twins"] {
  const names = (["wasm-relaxed", "wasm"] as const).filter((twin) => alone(kernel, twin));
  const wasm =
    names.length > 0 ? names.map((name) => ({ name, why: null })) : [{ name: "wasm" as const, why: withoutTwin }];
  return [...wasm, { name: "reference", why: null }];
}

/** Check of the outputs that a page sends, one after the other, without gaps. */
function checkOf({ outputs, problemOf }: Right): Post {
  const mostBytes = outputs.reduce((sum, { values }) => sum + values.byteLength, 0);
  return {
    mostBytes,
    answer(body) {
      if (body.length !== mostBytes) throw new BadBody(`${mostBytes} bytes of outputs are expected`);
      let start = 0;
      const arrays = outputs.map(({ parameter: { dtype, length } }) => {
        const array = newArray(dtype, length);
        bytesOf(array).set(body.subarray(start, start + array.byteLength));
        start += array.byteLength;
        return array;
      });
      return { why: problemOf(arrays) };
    },
  };
}

interface Compiled {
  /** The kernel without the parts that pages have no use for. */
  readonly kernel: CompiledKernel;
  readonly loops: CompiledKernel;
}

function modulesOf({ kernel, loops }: Compiled, bench: PlannedBench, sync: boolean | null, folder: string) {
  const partOf = (twin: Twin): CompiledKernel | null =>
    twin === "reference" || twin === "native" ? loops : alone(kernel, twin);
  const parts = bench.twins
    .filter(({ why }) => why === null)
    .map(({ name }) => [...moduleFiles(partOf(name)!, sync, `${folder}${name}.js`)]);
  const bound = twinOf(kernel, "wasm") ? [...moduleFiles(kernel, sync, `${folder}bound.js`)] : [];
  return [...parts.flat(), ...bound];
}

/** @param at its place in the plan: its files are below /kernels/<at>/ */
export async function pageKernel(project: Project, request: ParsedRequest, at: number): Promise<PageKernel> {
  const name = slashPath(project.options.root, request.path) + request.query;
  try {
    const context = await project.contextOf(request, "predict");
    const compiled = await compileInContext(context);
    const wasm = twinOf(compiled, "wasm");
    const kernel = { ...compiled, twins: wasm ? [wasm] : [] };
    const loops = await compileInContext(await project.contextOf(request, "off"));
    const { op } = context.task;
    const right = rightOf(context.task, kernel);
    const { inputs } = right;
    const { tensors, constants, origin } = kernel;
    const bench: PlannedBench = {
      origin,
      flops: factsOf(op).flops,
      tensors: tensors.map(({ name, role, dtype, length }) => ({ name, role, length, array: arrayTypes[dtype].name })),
      constants,
      threads: wasm?.modules[0].sharing?.threads ?? 1,
      hasTwins: wasm !== undefined,
      twins: twinsOf(kernel),
    };
    const folder = `/kernels/${at}/`;
    // Outputs are wrong in every element before a call: what is not written is seen.
    const contents = [...inputs, ...right.outputs.map(({ sentinel }) => sentinel)].map(
      (array, place): [string, PageFile] => [
        `${folder}tensors/${tensors[place]!.name}`,
        { type: "application/octet-stream", body: bytesOf(array) },
      ],
    );
    return {
      planned: { kernel: name, error: null, bench },
      files: new Map([...modulesOf({ kernel, loops }, bench, request.settings.sync, folder), ...contents]),
      posts: new Map([[`${folder}check`, checkOf(right)]]),
    };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const planned = { kernel: name, error: error.message, bench: null };
    return { planned, files: new Map(), posts: new Map() };
  }
}
