// The shared part of a C text: the vector types and the helper functions that a kernel uses, each written once and
// guarded, so that many kernels can stand in one translation unit.

import type { Architecture } from "../../target/architecture.ts";
import { cName, type Element, elementBytes, typeName } from "./element.ts";

/** Collects definitions in the order in which they are first needed; dependencies come before their users. */
export class Prelude {
  readonly #definitions = new Map<string, string>();
  /** Family of processors that the text is for: helpers are written with its instructions. */
  readonly architecture: Architecture;

  constructor(architecture: Architecture) {
    this.architecture = architecture;
  }

  /** The name of the type of `lanes` elements; the vector type is defined if need be. */
  type(element: Element, lanes: number): string {
    const name = typeName(element, lanes);
    if (lanes > 1) this.#add(name, () => vectorType(name, element, lanes));
    return name;
  }

  /** The same type for access through pointers: aligned like its element, allowed to alias. */
  memoryType(element: Element, lanes: number): string {
    const name = `${this.type(element, lanes)}_u`;
    this.#add(name, () => memoryType(name, element, lanes));
    return name;
  }

  /** Defines the function `name` unless it is there; `write` gives its text and may ask for others. */
  define(name: string, write: () => string): string {
    this.#add(name, write);
    return name;
  }

  text(): string {
    return [...this.#definitions].map(([name, body]) => guarded(name, body)).join("");
  }

  #add(name: string, write: () => string): void {
    if (this.#definitions.has(name)) return;
    const body = write();
    this.#definitions.set(name, body);
  }
}

function vectorType(name: string, element: Element, lanes: number): string {
  return `typedef ${cName[element]} ${name} __attribute__((vector_size(${elementBytes[element] * lanes})));`;
}

function memoryType(name: string, element: Element, lanes: number): string {
  const size = elementBytes[element];
  return `typedef ${cName[element]} ${name} __attribute__((vector_size(${size * lanes}), aligned(${size}), may_alias));`;
}

const guarded = (name: string, body: string): string =>
  `#ifndef ${name.toUpperCase()}\n#define ${name.toUpperCase()}\n${body}\n#endif\n`;
