// Inputs and results of an operator's kernel, with the parameters of an import. The operator is loaded as in a build;
// no compiler is looked for.

import { type DType, instantiate, kernelParameters, parameterDefaults } from "../../compiler/index.ts";
import type { Store } from "../../tuner/store/store.ts";
import { loadOp } from "../operator/load-op.ts";
import { checkParameters, type ParsedRequest } from "../request/request.ts";

export interface SignatureTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface Signature {
  /** Input tensors in calling order, as are the outputs. */
  readonly inputs: readonly SignatureTensor[];
  readonly outputs: readonly SignatureTensor[];
  /** Names of inputs that `pack` takes. */
  readonly constants: readonly string[];
  /** Whether no parameter of the operator is a type of elements. */
  readonly hasFixedTypes: boolean;
}

export interface SignatureOptions {
  readonly root: string;
  readonly store: Store | null;
}

/** Loads the operator of an import; null: there is a mistake in it or in the import, which a build reports. */
export async function signatureOf(request: ParsedRequest, options: SignatureOptions): Promise<Signature | null> {
  try {
    const { op } = await loadOp(request.path, options);
    const defaults = parameterDefaults(op);
    const parameters = checkParameters(request.path, defaults, request.settings.parameters);
    const instance = instantiate(op, parameters, "kernel");
    const tensors = kernelParameters(instance);
    return {
      inputs: tensors.filter(({ role }) => role === "input"),
      outputs: tensors.filter(({ role }) => role === "output"),
      constants: instance.constants ?? [],
      hasFixedTypes: Object.values(defaults).every((value) => typeof value === "number"),
    };
  } catch {
    // The build reports the mistake. Declarations go on with the general type.
    return null;
  }
}
