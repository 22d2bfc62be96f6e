// Text that a page sent → checked data. Anybody who reaches the server may send something, so every field is checked.

import {
  boolean,
  type Decode,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  ShapeError,
  text,
} from "../../../tuner/support/strict.ts";
import type { Times } from "../rounds.ts";
import type { BrowserFacts, MeasuredRow, PageMeasurements, Plan } from "./visit.ts";

const ns = number(0, 86_400e9);

const decodeRow: Decode<MeasuredRow> = object<MeasuredRow>({
  name: oneOf("wasm-relaxed", "wasm", "reference"),
  isBound: boolean,
  why: nullable(text(2000)),
  isRight: nullable(boolean),
  times: nullable(object<Times>({ medianNs: ns, p20Ns: ns, p80Ns: ns, samples: integer(1, 1e6) })),
});

const decodeForm: Decode<PageMeasurements> = object<PageMeasurements>({
  browser: object<BrowserFacts>({
    userAgent: text(2000),
    cores: integer(1, 1e6),
    hasSharedMemory: boolean,
    hasRelaxedSimd: boolean,
    clockStepMs: number(0, 1e6),
  }),
  kernels: list(list(decodeRow, 3), 1e5),
});

/** @throws ShapeError for anything but rows for the twins of this plan */
export function decodeMeasured(value: unknown, { kernels }: Plan): PageMeasurements {
  const measured = decodeForm(value, []);
  const planned = kernels.map(({ bench }) => bench?.twins.map(({ name }) => name).join() ?? "");
  const found = measured.kernels.map((rows) => rows.map(({ name }) => name).join());
  if (planned.join(";") !== found.join(";")) throw new ShapeError(["kernels"], "those of the page");
  return measured;
}
