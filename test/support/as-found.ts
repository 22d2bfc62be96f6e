// Set-up of files that share a process: changes of the environment, the working directory, globals and properties of `process` are put
// back behind the file that made them. The next one would otherwise fail in some orders, and there alone. New globals stay: libraries make
// some once, and count on them.

import { afterAll, beforeAll } from "vitest";

/** Objects whose properties tests, and the frameworks that they run, replace. */
const watched: readonly object[] = [globalThis, WebAssembly, console, process, process.env];

/** Properties that vitest keeps for itself, and the one that ends the run. */
const ofOthers = /^(_|VITEST|exitCode$)/;

type Properties = Readonly<Record<string, PropertyDescriptor>>;

const propertiesOf = (object: object): Properties => Object.getOwnPropertyDescriptors(object);

/** Node makes some globals when they are first read, and their getters go: such a one is not another. */
const isOther = (before: PropertyDescriptor, now: PropertyDescriptor | undefined): boolean =>
  now === undefined || (before.get === undefined && !Object.is(before.value, now.value));

function putBack(object: object, before: Properties): void {
  const now = propertiesOf(object);
  for (const [key, property] of Object.entries(before)) {
    if (!ofOthers.test(key) && isOther(property, now[key])) Object.defineProperty(object, key, property);
  }
  if (object !== process.env) return;
  for (const key of Object.keys(now)) if (!ofOthers.test(key) && !Object.hasOwn(before, key)) delete process.env[key];
}

let folder = "";
let found: readonly Properties[] = [];

beforeAll(() => {
  folder = process.cwd();
  found = watched.map(propertiesOf);
});

afterAll(() => {
  for (const [at, object] of watched.entries()) putBack(object, found[at]!);
  if (process.cwd() !== folder) process.chdir(folder);
});
