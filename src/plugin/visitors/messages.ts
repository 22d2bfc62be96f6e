// Messages between `tune --browser` and its page: who visits, what is to run, and what came of it.

import type { EngineClass, WasmSharing, WgslSource } from "../../compiler/index.ts";

export interface VisitorFacts {
  readonly userAgent: string;
  /** Whether the page is of https or of localhost: browsers give WebGPU to no other. */
  readonly isSecure: boolean;
  /** Class of the WASM engine; null: WASM is forbidden. */
  readonly engine: EngineClass | null;
  /** Adapter of WebGPU; null: there is none. */
  readonly gpu: VisitorGpu | null;
}

export interface VisitorGpu {
  readonly vendor: string;
  readonly name: string;
  readonly isSoftware: boolean;
  /** Threads of its smallest subgroups; 0: it has none. */
  readonly subgroupLanes: number;
}

/** A parameter of a function, as the page makes an array for it. */
export interface JobTensor {
  readonly name: string;
  readonly role: "input" | "output";
  /** "Float32Array" */
  readonly array: string;
  readonly length: number;
}

/** Code of a function, by its back end. */
export type JobCode =
  | ({ readonly kind: "wgsl" } & Pick<WgslSource, "text" | "launches" | "scratch">)
  | {
      readonly kind: "wasm";
      /** In base64. */
      readonly bytes: string;
      readonly offsets: readonly number[];
      readonly sharing: WasmSharing | null;
    };

export interface JobFunction {
  readonly code: JobCode;
  readonly tensors: readonly JobTensor[];
}

/** A candidate to be run and timed. */
export interface Job {
  readonly kind: "run";
  readonly id: number;
  /** Task whose inputs it gets, `inputs/<task>/<number>`. */
  readonly task: number;
  /** Function that computes, from constant inputs, the values that `kernel` takes; null: there is none. */
  readonly preparation: JobFunction | null;
  readonly kernel: JobFunction;
  readonly samples: number;
  /** Milliseconds that a sample fills with runs at the least. */
  readonly sampleMs: number;
}

/** Answer to a page that asks for work. */
export type Next = Job | { readonly kind: "wait" } | { readonly kind: "done"; readonly words: string };

/** Head of a page's answer to a job. Behind it come the outputs, one after the other without gaps, if it ran. */
export type Ran = { readonly ns: readonly number[] } | { readonly failed: string };
