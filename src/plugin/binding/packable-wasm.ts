// The WASM twin of an emitted module whose operator has constant inputs: the module, and a small one that prepares them, where
// the schedule has something to prepare. Its bytes are part of the code.

import { arrayTypes, type KernelParameter, type WasmSource } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import { listOf, type Placed, withRole } from "./calls.ts";
import { type Source, sorted, sourcesOf, takenBy } from "./packable.ts";
import { workerProgram, workerSupport } from "./worker.ts";

/** Here and in the worker. The memory of the preparation is needed again only if other constants follow. */
const openText = `function openKernel({ run, prepare }) {
    const open = ({ module, layout, sharing }) => {
      const { memory, run } = openModule(module, sharing);
      return { run, views: layout.map(([array, offset, length]) => new globalThis[array](memory.buffer, offset, length)) };
    };
    const kernel = open(run);
    let preparing = null;
    return {
      run: kernel.run,
      views: kernel.views,
      set(constants, isLast) {
        run.constants.forEach((view, at) => kernel.views[view].set(constants[at]));
        if (prepare === null) return;
        preparing ??= open(prepare);
        const { views } = preparing;
        prepare.taken.forEach((constant, at) => views[at].set(constants[constant]));
        preparing.run();
        run.results.forEach((view, at) => kernel.views[view].set(views[prepare.taken.length + at]));
        if (isLast) preparing = null;
      },
    };
  }`;

/** Gets the modules once, constants when there are new ones, then arrays. */
const workerText = (isShared: boolean): string =>
  workerProgram({
    isShared,
    state: [openText, "let places, kernel;"],
    message: "parts, constants, isLast, inputs",
    steps: [
      "if (parts) [places, kernel] = [parts.run, openKernel(parts)];",
      "if (constants) kernel.set(constants, isLast);",
      "places.inputs.forEach((view, at) => kernel.views[view].set(inputs[at]));",
      "kernel.run();",
      "const outputs = places.outputs.map((view) => kernel.views[view].slice());",
    ],
  });

/** What `openKernel` takes of a module, beside the module. */
const placedText = ({ parameters, offsets, sharing }: WasmSource): string => {
  const layout = parameters.map(({ dtype, length }, at) => [arrayTypes[dtype].name, offsets[at]!, length]);
  return `layout: ${JSON.stringify(layout)}${sharing ? `, sharing: ${JSON.stringify(sharing)}` : ""}`;
};

/** Which views of the module are what. */
function placesOf(
  run: readonly KernelParameter[],
  kernel: CompiledKernel,
): Readonly<Record<string, readonly number[]>> {
  const places = sorted(kernel);
  const sources = sourcesOf(run, places);
  const viewOf = (kind: Source[0], at: number): number =>
    sources.findIndex((source) => source[0] === kind && source[1] === at);
  const viewsOf = (all: readonly Placed[]): readonly number[] =>
    all.map((it) => viewOf("other", places.others.indexOf(it)));
  return {
    constants: places.constants.map((_, at) => viewOf("constant", at)),
    results: sources.flatMap(([kind], view) => (kind === "result" ? [view] : [])),
    inputs: viewsOf(withRole(places.others, "input")),
    outputs: viewsOf(withRole(places.others, "output")),
    tensors: places.all.map(({ tensor }) => run.findIndex(({ name }) => name === tensor.name)),
  };
}

/** Of a module whose bytes are part of the code. */
function moduleText({ bytes, sharing }: WasmSource): string {
  const own = `bytesNow({ text: "${Buffer.from(bytes).toString("base64")}" })`;
  return `new WebAssembly.Module(${sharing ? `asShareable(${own}, ${sharing.flagAt})` : own})`;
}

/** Text that defines `wasmTwin(kind, module, offsets)`; expects `name`, `bytesNow`. */
export function packableWasmText(source: WasmSource, kernel: CompiledKernel): string {
  const { prepare } = kernel;
  const places = sorted(kernel);
  const taken = prepare ? takenBy(prepare.parameters, places) : [];
  const isShared = Boolean(source.sharing ?? prepare?.sharing);
  const preparing = prepare
    ? `{ module: ${moduleText(prepare)}, taken: ${JSON.stringify(taken)}, ${placedText(prepare)} }`
    : "null";
  return `  const workerText = ${JSON.stringify(workerText(isShared))};
  ${openText}
${workerSupport(isShared)}  const places = ${JSON.stringify(placesOf(source.parameters, kernel))};
  let prepareModule;
  const preparation = () => (prepareModule ??= ${preparing});
  function wasmTwin(kind, module) {
    const run = { module, ${placedText(source)}, ...places };
    return { kind, open: () => wasmInstance({ run, prepare: preparation() }) };
  }
${instanceText(places.others)}`;
}

const each = (all: readonly Placed[], text: (at: number) => string): string => all.map(({ at }) => text(at)).join(" ");

function instanceText(others: readonly Placed[]): string {
  const views = (from: string, letter: string): string =>
    others.map(({ at }) => `${letter}${at} = ${from}.views[places.tensors[${at}]];`).join(" ");
  const declared = others.map(({ at }) => `d${at}, c${at}`).join(", ");
  return `  function wasmInstance(parts) {
    let direct = null, copy = null, post = null, ${declared};
    // What the constants are, and what was made of them.
    const follow = () => [...places.constants, ...places.results].forEach((view) => direct.views[view].set(copy.views[view]));
    const openCopy = () => {
      copy = openKernel(parts);
      ${views("copy", "c")}
    };
    return {
      set(constants, isLast) {
        if (copy === null) openCopy();
        copy.set(constants, isLast);
        if (direct !== null) follow();
      },
      buffers() {
        if (direct === null) {
          direct = openKernel(parts);
          ${views("direct", "d")}
          if (copy !== null) follow();
        }
        return places.tensors.map((view) => direct.views[view]);
      },
      run(${listOf(others)}) {
        if (${others.map(({ at }) => `a${at} === d${at}`).join(" && ")}) return void direct.run();
        // Foreign arrays go through an instance of their own: those of buffers() stay as the caller left them.
        ${each(withRole(others, "input"), (at) => `c${at}.set(a${at});`)}
        copy.run();
        ${each(withRole(others, "output"), (at) => `a${at}.set(c${at});`)}
      },
      async(inputs, constants) {
        const isNew = post === null;
        post ??= startWorker(() => (post = null));
        const known = isNew && constants === null ? places.constants.map((view) => copy.views[view].slice()) : constants;
        const message = { inputs, isLast: constants === null, ...(known && { constants: known }), ...(isNew && { parts }) };
        return post(message, [...inputs, ...(known ?? [])].map((array) => array.buffer));
      },
    };
  }
`;
}
