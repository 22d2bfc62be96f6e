// Systems that addons are for, by `process.platform` and `process.arch`.

import { architectureOf, type Target } from "../../compiler/index.ts";

/** Systems that a build may be asked for. */
export const platformNames = [
  "linux-x64",
  "linux-arm64",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
  "win32-arm64",
] as const;
export type PlatformName = (typeof platformNames)[number];

/** This machine's system: "linux-x64". */
export const platformHere = `${process.platform}-${process.arch}`;

/** Returns the system that a target's addons are for: that of a machine, with the target's family of processors. */
export const platformFor = ({ features }: Pick<Target, "features">, here: string = platformHere): string =>
  `${here.slice(0, here.indexOf("-"))}-${architectureOf(features)}`;
