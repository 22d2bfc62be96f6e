// All parsers of outside data. A new one is an entry of one of these tables: its seeds, and how it reads and prints.

import type { FuzzedParser } from "../parser.ts";
import { projectParsers } from "./project.ts";
import { recordParsers } from "./records.ts";
import { storeParsers } from "./store.ts";

export const parsers: readonly FuzzedParser[] = [...storeParsers, ...recordParsers, ...projectParsers];
