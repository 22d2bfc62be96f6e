// The WASM twin of an emitted module: its instances, on which it runs here and in workers.

import { arrayTypes, type KernelParameter, type WasmSource } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import { asyncWorkersText } from "./async-workers.ts";

/** What `openKernel` takes of a module, beside the module: its arrays as `[name, offset in bytes, length]`. */
export const placedText = ({ parameters, offsets, sharing }: WasmSource): string => {
  const layout = parameters.map(({ dtype, length }, at) => [arrayTypes[dtype].name, offsets[at]!, length]);
  return `layout: ${JSON.stringify(layout)}${sharing ? `, sharing: ${JSON.stringify(sharing)}` : ""}`;
};

/** Whether threads share loops of a kernel, or of what prepares its constants. */
export const hasSharedLoops = ({ wasm, prepare }: CompiledKernel): boolean =>
  Boolean(wasm?.sharing ?? prepare?.sharing);

/** `d0 === a0 && …`, `c0.set(a0); …`: the copies around a run, and when there are none. */
function runText(source: WasmSource): string {
  const tensors = source.parameters;
  const placesOf = (role: KernelParameter["role"]) => tensors.flatMap((tensor, i) => (tensor.role === role ? [i] : []));
  const [inputs, outputs] = [placesOf("input"), placesOf("output")];
  const each = (text: (i: number) => string) => tensors.map((_, i) => text(i));
  const places = `inputs: ${JSON.stringify(inputs)}, outputs: ${JSON.stringify(outputs)}, constants: [], results: []`;
  return `
  function wasmTwin(kind, module) {
    const parts = { run: { module, ${placedText(source)}, ${places} }, prepare: null };
    let direct = null, runDirect, ${each((i) => `d${i}`).join(", ")};
    let runCopy = null, ${each((i) => `c${i}`).join(", ")};
    let known = null;
    return {
      kind,
      buffers() {
        if (direct === null) {
          ({ run: runDirect, views: direct } = openKernel(parts));
          [${each((i) => `d${i}`).join(", ")}] = direct;
        }
        return direct;
      },
      run(${each((i) => `a${i}`).join(", ")}) {
        if (${each((i) => `a${i} === d${i}`).join(" && ")}) return void runDirect();
        // Foreign arrays go through an instance of their own: those of buffers() stay as the caller left them.
        if (runCopy === null) ({ run: runCopy, views: [${each((i) => `c${i}`).join(", ")}] } = openKernel(parts));
        ${inputs.map((i) => `c${i}.set(a${i});`).join(" ")}
        runCopy();
        ${outputs.map((i) => `a${i}.set(c${i});`).join(" ")}
      },
      async async(inputs) {
        const workers = asyncWorkers();
        known ??= workers.introduce(this, name);
        const answer = await workers.call(known, (isNew) => ({
          message: { inputs, ...(isNew && { parts }) },
          transfer: inputs.map((input) => input.buffer),
        }));
        if (answer !== null) return answer;
        const outputs = tensors.slice(inputs.length).map(({ array, length }) => new globalThis[array](length));
        this.run(...inputs, ...outputs);
        return outputs;
      },
    };
  }
`;
}

/** Text that defines `wasmTwin(kind, module)`; expects `name`, `builtin`, `workerText`, `workerUrl` in scope. */
export const wasmText = (source: WasmSource): string => asyncWorkersText(source.sharing !== null) + runText(source);
