// Actions of a visitor on a page, as expressions that every engine evaluates.

import type { EnginePage } from "./engine.ts";

export interface Visitor {
  /** Waits until something is there. */
  sees(selector: string): Promise<void>;
  /** Waits until what is there has such a text. */
  reads(selector: string, text: string): Promise<void>;
  text(selector: string): Promise<string>;
  texts(selector: string): Promise<readonly string[]>;
  count(selector: string): Promise<number>;
  /** Presses the first of these with such a text; without one, the first. */
  presses(selector: string, text?: string): Promise<void>;
  /** Gives the keyboard to the first of these with such a text; without one, to the first. */
  focuses(selector: string, text?: string): Promise<void>;
  /** Writes into a field, or chooses from a list. */
  enters(selector: string, value: string): Promise<void>;
}

const quoted = (text: string): string => JSON.stringify(text);

export function visitorOf(page: EnginePage): Visitor {
  const all = (selector: string): string => `[...document.querySelectorAll(${quoted(selector)})]`;
  /** First of these with such a text. */
  const one = (selector: string, text?: string): string =>
    `${all(selector)}.find((it) => ${text === undefined ? "true" : `it.textContent.trim() === ${quoted(text)}`})`;
  const texts = (selector: string): string => `${all(selector)}.map((it) => it.textContent.trim())`;
  return {
    sees: async (selector) => void (await page.waitFor(`${all(selector)}.length > 0`)),
    reads: async (selector, text) =>
      void (await page.waitFor(`${texts(selector)}.some((it) => it.includes(${quoted(text)}))`)),
    text: (selector) => page.evaluate(`${texts(selector)}[0] ?? ""`),
    texts: (selector) => page.evaluate(texts(selector)),
    count: (selector) => page.evaluate(`${all(selector)}.length`),
    async presses(selector, text) {
      await page.waitFor(`Boolean(${one(selector, text)})`);
      await page.evaluate(`${one(selector, text)}.click()`);
    },
    async focuses(selector, text) {
      await page.waitFor(`Boolean(${one(selector, text)})`);
      await page.evaluate(`${one(selector, text)}.focus()`);
    },
    async enters(selector, value) {
      await page.waitFor(`${all(selector)}.length > 0`);
      await page.evaluate(`(() => {
        const field = ${all(selector)}[0];
        field.value = ${quoted(value)};
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
    },
  };
}
