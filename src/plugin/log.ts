// What the plugin says: one prefix, one level, one sink (the host's logger where it has one).

import { type LogLevel, logLevels } from "./types.ts";

export interface Log {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
}

/** Takes finished lines. */
export interface LogSink {
  info(line: string): void;
  warn(line: string): void;
}

/** Standard error, so that a bundle written to standard output stays whole. */
export const consoleSink: LogSink = { info: (line) => console.error(line), warn: (line) => console.warn(line) };

export function createLog(level: LogLevel, sink: LogSink): Log {
  const speaks = (least: LogLevel): boolean => logLevels.indexOf(level) >= logLevels.indexOf(least);
  const prefixed = (line: string): string => `[unplugin-kernel] ${line}`;
  return {
    debug: (line) => void (speaks("debug") && sink.info(prefixed(line))),
    info: (line) => void (speaks("info") && sink.info(prefixed(line))),
    warn: (line) => void (speaks("warn") && sink.warn(prefixed(line))),
  };
}
