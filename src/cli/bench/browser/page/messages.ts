// Messages that the page's worker sends to the page while it measures.

import type { BrowserFacts, MeasuredRow } from "../visit.ts";

export type Message =
  | { readonly kind: "begun"; readonly browser: BrowserFacts }
  | {
      readonly kind: "progress";
      readonly kernel: number;
      readonly doing: "checking" | "measuring";
      readonly share: number;
    }
  | { readonly kind: "measured"; readonly kernel: number; readonly rows: readonly MeasuredRow[] }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly why: string };

/** Words of an engine as one plain line, which the command takes. */
export const plain = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/[^\x20-\x7e]/g, "?").slice(0, 1000);
