// All parsers of outside data. A new one is an entry of one of these tables: its seeds, and how it reads and prints.

import type { FuzzedParser } from "../parser.ts";
import { fleetParsers } from "./fleet.ts";
import { projectParsers } from "./project.ts";
import { recordParsers } from "./records.ts";
import { remoteParsers } from "./remote.ts";
import { sourceParsers } from "./sources.ts";
import { storeParsers } from "./store.ts";
import { systemParsers } from "./system.ts";
import { trustParsers } from "./trust.ts";

export const parsers: readonly FuzzedParser[] = [
  ...storeParsers,
  ...recordParsers,
  ...projectParsers,
  ...trustParsers,
  ...fleetParsers,
  ...remoteParsers,
  ...sourceParsers,
  ...systemParsers,
];
