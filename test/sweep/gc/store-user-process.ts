// node store-user-process.mjs <writer|reader> <store> <decisions> <name> <milliseconds>

import { useStore } from "./store-user.ts";

const [role, directory, many, name, milliseconds] = process.argv.slice(2) as [
  "writer" | "reader",
  string,
  string,
  string,
  string,
];
console.log(JSON.stringify(await useStore(role, directory, Number(many), name, Number(milliseconds))));
