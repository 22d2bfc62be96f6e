// The WASM twin of an emitted module: its instances, and what the worker does that `async` runs it in.

import type { KernelParameter, WasmSource } from "../../compiler/index.ts";
import { workerProgram, workerSupport } from "./worker.ts";

const openText = ({ sharing }: WasmSource): string => `openModule(module, ${JSON.stringify(sharing)})`;

/** Gets the module once, then arrays. */
const workerText = (source: WasmSource): string =>
  workerProgram({
    isShared: source.sharing !== null,
    state: ["let run, views;"],
    message: "module, layout, inputs",
    steps: [
      "if (module) {",
      `  const instance = ${openText(source)};`,
      "  run = instance.run;",
      "  views = layout.map(([array, offset, length]) => new globalThis[array](instance.memory.buffer, offset, length));",
      "}",
      "inputs.forEach((input, i) => views[i].set(input));",
      "run();",
      "const outputs = views.slice(inputs.length).map((view) => view.slice());",
    ],
  });

const support = (source: WasmSource): string => `
  function openWasm(module, offsets) {
    const { memory, run } = ${openText(source)};
    return { run, views: tensors.map(({ array, length }, i) => new globalThis[array](memory.buffer, offsets[i], length)) };
  }
`;

/** `d0 === a0 && …`, `c0.set(a0); …`: the copies around a run, and when there are none. */
function runText(tensors: readonly KernelParameter[]): string {
  const each = (text: (i: number) => string, role?: "input" | "output") =>
    tensors.flatMap((tensor, i) => (role === undefined || tensor.role === role ? [text(i)] : []));
  return `
  function wasmTwin(kind, module, offsets) {
    let direct = null, runDirect, ${each((i) => `d${i}`).join(", ")};
    let runCopy = null, ${each((i) => `c${i}`).join(", ")};
    let post = null;
    return {
      kind,
      buffers() {
        if (direct === null) {
          ({ run: runDirect, views: direct } = openWasm(module, offsets));
          [${each((i) => `d${i}`).join(", ")}] = direct;
        }
        return direct;
      },
      run(${each((i) => `a${i}`).join(", ")}) {
        if (${each((i) => `a${i} === d${i}`).join(" && ")}) return void runDirect();
        // Foreign arrays go through an instance of their own: those of buffers() stay as the caller left them.
        if (runCopy === null) ({ run: runCopy, views: [${each((i) => `c${i}`).join(", ")}] } = openWasm(module, offsets));
        ${each((i) => `c${i}.set(a${i});`, "input").join(" ")}
        runCopy();
        ${each((i) => `a${i}.set(c${i});`, "output").join(" ")}
      },
      async(inputs) {
        const isNew = post === null;
        post ??= startWorker(() => (post = null));
        const layout = tensors.map(({ array, length }, i) => [array, offsets[i], length]);
        return post(isNew ? { inputs, module, layout } : { inputs }, inputs.map((input) => input.buffer));
      },
    };
  }
`;
}

/** Text that defines `wasmTwin(kind, module, offsets)`; expects `name`, `tensors` in scope. */
export function wasmText(source: WasmSource): string {
  return `  const workerText = ${JSON.stringify(workerText(source))};
${workerSupport(source.sharing !== null)}${support(source)}${runText(source.parameters)}`;
}
