// The log of a worker whose main thread waits for it: that thread would show what it prints when it goes on. This is written at once.

import { writeSync } from "node:fs";
import type { LogSink } from "./log.ts";

const standardError = 2;
const line = (text: string): void => void writeSync(standardError, `${text}\n`);

export const waitingSink: LogSink = { info: line, warn: line };
