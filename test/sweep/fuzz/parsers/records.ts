// Parsers of measurements and of what is known of a machine.

import { readFileSync } from "node:fs";
import { parseTrace, traceToJson } from "../../../../src/compiler/index.ts";
import { decodeCalibration } from "../../../../src/tuner/record/calibration-file.ts";
import { parseRecords } from "../../../../src/tuner/record/database.ts";
import { decodeLimits } from "../../../../src/tuner/record/limits-file.ts";
import { parseSchedule, scheduleToJson } from "../../../../src/tuner/space/template/saved-schedule.ts";
import { ShapeError } from "../../../../src/tuner/support/strict.ts";
import { parseTunings } from "../../../../src/tuner/tuning/tuning-log.ts";
import { type FuzzedParser, ofJson } from "../parser.ts";

const fixture = (name: string): string => readFileSync(`fixtures/records/${name}`, "utf8");
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const digest = "ab".repeat(32);
const machine = { targetClass: "avx2 avx2+fma 32B 16r", toolchain: "gcc 12.2.0" };
const profile = { space: 1, sampling: 1, search: 1, prediction: 1, training: 1, lowering: 1, build: 1, run: 1 };
const tuning = {
  schema: 2,
  task: digest,
  ...machine,
  codegen: "19",
  strategy: "genetic",
  ended: "budget",
  measured: 12,
  elapsedMs: 1234.5,
  history: { improvements: [[1, 2, 3]], stopped: { trial: 12, elapsedMs: 1000 } },
  profile,
};
const numbers = [
  "clockGhz",
  "arithmeticPerCycle",
  "loadsPerCycle",
  "instructionsPerCycle",
  "arithmeticLatency",
  "l2BytesPerCycle",
  "l3BytesPerCycle",
  "memoryBytesPerCycle",
  "packBytesPerCycle",
  "cyclesPerParallelTask",
  "loadsPerSpill",
  "visibleShare",
  "cyclesPerIteration",
  "shortBody",
  "growth",
];
const { limits } = JSON.parse(readFileSync("test/support/recorded-limits.json", "utf8")) as {
  readonly limits: Readonly<Record<string, object>>;
};

export const recordParsers: readonly FuzzedParser[] = [
  {
    name: "records",
    seeds: () => [fixture("schema-1.jsonl"), fixture("schema-2.jsonl")],
    read: (text) => lines(parseRecords(text).records),
  },
  {
    name: "tuning-log",
    seeds: () => [lines([tuning]), lines([{ ...tuning, codegen: null }, tuning])],
    read: (text) => lines(parseTunings(text)),
  },
  {
    name: "limits",
    seeds: () => [JSON.stringify({ schema: 2, ...machine, ...limits.wasm })],
    read: ofJson(ShapeError, (value) => decodeLimits(value, [])),
  },
  {
    name: "calibration",
    seeds: () => [
      JSON.stringify({
        schema: 1,
        ...machine,
        samples: 40,
        machine: Object.fromEntries(numbers.map((name) => [name, 1.5])),
      }),
    ],
    read: ofJson(ShapeError, (value) => decodeCalibration(value, [])),
  },
  {
    name: "schedule",
    seeds: () => [fixture("schedule-schema-1.json")],
    read(text) {
      const parsed = parseSchedule(text);
      return parsed.kind === "ok" ? scheduleToJson(parsed.saved) : null;
    },
  },
  {
    name: "trace",
    seeds: () => [fixture("trace-schema-1.json")],
    read(text) {
      const parsed = parseTrace(text);
      return parsed.kind === "ok" ? traceToJson(parsed.trace) : null;
    },
  },
];
