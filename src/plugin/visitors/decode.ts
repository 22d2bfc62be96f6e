// Messages of pages → checked data. Anybody who reaches the server may send something.

import { engineClasses } from "../../compiler/index.ts";
import { BadBody } from "../../native/network/page-listener.ts";
import {
  boolean,
  type Decode,
  either,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  ShapeError,
  text,
} from "../../tuner/support/strict.ts";
import type { Ran, VisitorFacts } from "./messages.ts";

const decodeFacts: Decode<VisitorFacts> = object<VisitorFacts>({
  userAgent: text(2000),
  isSecure: boolean,
  engine: nullable(oneOf(...engineClasses)),
  gpu: nullable(object({ vendor: text(100), name: text(200), isSoftware: boolean, subgroupLanes: integer(0, 1024) })),
});

const decodeRan: Decode<Ran> = either(
  object({ ns: list(number(1e-3, 86_400e9), 1000) }),
  object({ failed: text(2000) }),
);

const decodeVisit = object<{ visit: number }>({ visit: integer(0, 2 ** 31) });

function decoded<T>(json: string, decode: Decode<T>): T {
  try {
    return decode(JSON.parse(json), []);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ShapeError) throw new BadBody(error.message);
    throw error;
  }
}

const textOf = (body: Uint8Array): string => Buffer.from(body).toString("utf8");

/** @throws BadBody */
export const factsIn = (body: Uint8Array): VisitorFacts => decoded(textOf(body), decodeFacts);

/** Number of a visit. @throws BadBody */
export const visitIn = (body: Uint8Array): number => decoded(textOf(body), decodeVisit).visit;

export interface Answer {
  readonly visit: number;
  readonly job: number;
  readonly ran: Ran;
  readonly outputs: Uint8Array;
}

const headWords = 3;

/** Reads visit, job and length of the head, each a word of 4 bytes, the head, and what follows. @throws BadBody */
export function answerIn(body: Uint8Array): Answer {
  const start = headWords * 4;
  if (body.length < start) throw new BadBody("the answer is too short");
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const [visit, job, length] = [0, 4, 8].map((at) => view.getUint32(at, true)) as [number, number, number];
  if (start + length > body.length) throw new BadBody("the head is cut off");
  const ran = decoded(textOf(body.subarray(start, start + length)), decodeRan);
  return { visit, job, ran, outputs: body.subarray(start + length) };
}
