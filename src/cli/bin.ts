// The executable, dist/cli.js: build.js puts the line before it that makes it one.

import { readFileSync } from "node:fs";
import { main } from "./main.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
await main(process.argv, version);
