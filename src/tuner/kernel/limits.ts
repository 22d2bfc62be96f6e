// Limits of what a kernel may take: code, scratch memory, memory on the stack.

import { type Buffer, byteSize, generatorOf } from "../../compiler/index.ts";
import type { KernelFacts, Postprocessor, Verdict } from "../data/space.ts";

const atMost = (amount: number, limit: number, unit: string): Verdict =>
  amount <= limit ? { kind: "ok" } : { kind: "refused", reason: `${amount} ${unit}, at most ${limit}` };

/**
 * Limits what a compiler's time grows with: the statements of C, or the bytes of a WASM module.
 *
 * @example codeSizeLimit({ statements: 20_000 })
 */
export const codeSizeLimit = ({ statements = Infinity, bytes = Infinity }: CodeSizeLimit): Postprocessor => ({
  name: "code size",
  apply({ source }) {
    const size = generatorOf(source).sizeOf(source);
    return size.statements === null
      ? atMost(size.bytes ?? 0, bytes, "bytes of code")
      : atMost(size.statements, statements, "statements");
  },
});

export interface CodeSizeLimit {
  readonly statements?: number;
  readonly bytes?: number;
}

const bytesOf = ({ dtype, shape }: Buffer): number => shape.reduce((total, extent) => total * extent, byteSize[dtype]);

const bytesIn = ({ nest }: KernelFacts, memory: Buffer["memory"]): number =>
  nest.buffers.filter((buffer) => buffer.memory === memory).reduce((total, buffer) => total + bytesOf(buffer), 0);

/**
 * Limits bytes of scratch memory: packs, and stages that are kept whole. C overlays their memory; for WASM they are summed.
 */
export const workspaceLimit = (bytes: number): Postprocessor => ({
  name: "workspace",
  apply: (facts) => {
    const { workspaceBytes } = generatorOf(facts.source).sizeOf(facts.source);
    return atMost(workspaceBytes ?? bytesIn(facts, "workspace"), bytes, "bytes");
  },
});

/** Limits bytes that a schedule holds in registers: what exceeds the registers is spilled to the stack. */
export const stackLimit = (bytes: number): Postprocessor => ({
  name: "stack",
  apply: (facts) => atMost(bytesIn(facts, "register"), bytes, "bytes in registers"),
});
