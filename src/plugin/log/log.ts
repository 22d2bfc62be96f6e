// The plugin's log: one prefix, one level, one sink (the host's logger where it has one).

import { type LogLevel, logLevels } from "../options/types.ts";
import { createProgress, type LiveLine, type Progress, terminalLine } from "./progress.ts";

export interface Log {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
  readonly progress: Progress;
}

/** Takes finished lines. */
export interface LogSink {
  info(line: string): void;
  warn(line: string): void;
  /** Last line of a terminal, if the sink owns it. */
  readonly live?: LiveLine | null;
}

/** Sink to standard error, so that a bundle written to standard output stays whole. */
export const consoleSink: LogSink = {
  info: (line) => console.error(line),
  warn: (line) => console.warn(line),
  live: terminalLine(process.stderr),
};

export function createLog(level: LogLevel, sink: LogSink): Log {
  const live = sink.live ?? null;
  const writer =
    (least: LogLevel, write: (line: string) => void) =>
    (line: string): void => {
      if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
      live?.(null);
      write(`[unplugin-kernel] ${line}`);
    };
  const info = writer("info", sink.info);
  const isQuiet = logLevels.indexOf(level) < logLevels.indexOf("info");
  return {
    progress: createProgress(isQuiet ? null : live, info),
    debug: writer("debug", sink.info),
    info,
    warn: writer("warn", sink.warn),
  };
}
