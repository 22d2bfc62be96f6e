// The WASM twin of an emitted module whose operator has constant inputs: the module, and a small one that prepares them, where
// the schedule has something to prepare. Its bytes are part of the code.

import type { KernelParameter, WasmSource } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import { asyncWorkersText } from "./async-workers.ts";
import { listOf, type Placed, withRole } from "./calls.ts";
import { type Source, sorted, sourcesOf, takenBy } from "./packable.ts";
import { hasSharedLoops, placedText } from "./wasm.ts";

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

/** Text that defines `wasmTwin(kind, module)`; expects `name`, `builtin`, `bytesNow`, `workerText`, `workerUrl`. */
export function packableWasmText(source: WasmSource, kernel: CompiledKernel): string {
  const { prepare } = kernel;
  const places = sorted(kernel);
  const taken = prepare ? takenBy(prepare.parameters, places) : [];
  const preparing = prepare
    ? `{ module: ${moduleText(prepare)}, taken: ${JSON.stringify(taken)}, ${placedText(prepare)} }`
    : "null";
  return `${asyncWorkersText(hasSharedLoops(kernel))}  const places = ${JSON.stringify(placesOf(source.parameters, kernel))};
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
    let direct = null, copy = null, known = null, ${declared};
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
      async async(inputs, constants) {
        const workers = asyncWorkers();
        known ??= workers.introduce(this, name);
        const answer = await workers.call(known, (isNew) => {
          const values = isNew && constants === null ? places.constants.map((view) => copy.views[view].slice()) : constants;
          const message = { inputs, isLast: constants === null, ...(values && { constants: values }), ...(isNew && { parts }) };
          return { message, transfer: [...inputs, ...(values ?? [])].map((array) => array.buffer) };
        });
        if (answer !== null) return answer;
        const outputs = others.slice(inputs.length).map(({ array, length }) => new globalThis[array](length));
        if (constants !== null) this.set(constants, false);
        this.run(...inputs, ...outputs);
        return outputs;
      },
    };
  }
`;
}
