// The plain loops as the only twin of an emitted module: mode `off`.

import type { JsSource } from "../../compiler/index.ts";
import type { CompiledKernel } from "../compiled-kernel.ts";
import { listOf, type Placed, placed } from "./calls.ts";
import { sorted } from "./packable.ts";

/** Text that defines `tryNative`, `loadWasm`, `loadWasmSoon`; expects `tensors` in scope. */
export const referenceText = ({ text }: JsSource, kernel: CompiledKernel): string =>
  kernel.constants.length > 0
    ? packableReference(text, kernel)
    : plainReference(
        text,
        listOf(placed(kernel.tensors), (at) => `arg${at}`),
      );

const plainReference = (text: string, parameters: string): string => `
  function reference(${parameters}) {
${text}
  }
  let arrays = null;
  const loadWasm = () => ({
    kind: "reference",
    buffers: () => (arrays ??= tensors.map(({ array, length }) => new globalThis[array](length))),
    run: reference,
    async async(inputs) {
      await new Promise((resolve) => setTimeout(resolve));
      const outputs = tensors.slice(inputs.length).map(({ array, length }) => new globalThis[array](length));
      reference(...inputs, ...outputs);
      return outputs;
    },
  });
  const loadWasmSoon = async () => loadWasm();
  const tryNative = () => null;
`;

/** They take all tensors in each call. */
function packableReference(text: string, kernel: CompiledKernel): string {
  const { all, constants, others } = sorted(kernel);
  const givenAt = ({ at }: Placed): string => {
    const constant = constants.findIndex((it) => it.at === at);
    return constant < 0 ? `a${at}` : `values[${constant}]`;
  };
  return `
  function reference(${listOf(all, (at) => `arg${at}`)}) {
${text}
  }
  function referenceInstance() {
    let known = null;
    let arrays = null;
    const fresh = (list) => list.map(({ array, length }) => new globalThis[array](length));
    const compute = (values, [${listOf(others)}]) => reference(${all.map(givenAt).join(", ")});
    return {
      set: (values) => void (known = values.map((value) => value.slice())),
      buffers: () => (arrays ??= fresh(tensors)),
      run: (...given) => compute(known, given),
      async async(inputs, values) {
        const constants = values ?? known;
        await new Promise((resolve) => setTimeout(resolve));
        const outputs = fresh(others.slice(inputs.length));
        compute(constants, [...inputs, ...outputs]);
        return outputs;
      },
    };
  }
  const loadWasm = () => ({ kind: "reference", open: referenceInstance });
  const loadWasmSoon = async () => loadWasm();
  const tryNative = () => null;
`;
}
