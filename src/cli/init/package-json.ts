// package.json: what of it says how a project is built, and entries that are added to its text without touching the rest.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { refuse } from "../../compiler/index.ts";
import { propertyOf } from "./config-objects.ts";
import { type ObjectExpression, parseJson, withoutMark } from "./syntax.ts";
import { endOfLine, indentUnit, insert, newProperty } from "./text-edit.ts";

type Strings = Readonly<Record<string, string>>;

export interface PackageJson {
  readonly scripts?: Strings;
  readonly imports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Strings;
  readonly devDependencies?: Strings;
  readonly workspaces?: unknown;
}

export interface PackageFile {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
  readonly json: PackageJson;
}

const sections = ["scripts", "imports", "dependencies", "devDependencies"] as const;

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @throws DiagnosticError `init.no-package`, `init.broken-package` */
export function readPackageJson(root: string): PackageFile {
  const file = join(root, "package.json");
  if (!existsSync(file))
    throw refuse("init.no-package", `there is no package.json in ${root}`, "npm init -y makes one");
  return parsePackageJson(readFileSync(file, "utf8"), file);
}

/** @throws DiagnosticError `init.broken-package` */
export function parsePackageJson(text: string, file: string): PackageFile {
  let json: PackageJson;
  try {
    // It will be edited by its syntax tree, which has no end for a file that is nested some thousand deep.
    parseJson(text);
    json = JSON.parse(withoutMark(text));
  } catch (error) {
    throw refuse("init.broken-package", `${file} cannot be read: ${(error as Error).message}`, "npm pkg fix may help");
  }
  const wrong = isObject(json) ? sections.find((name) => json[name] !== undefined && !isObject(json[name])) : "it";
  if (wrong) throw refuse("init.broken-package", `${file}: ${wrong} is no object`, "npm pkg fix may help");
  const script = Object.entries(json.scripts ?? {}).find(([, command]) => typeof command !== "string")?.[0];
  if (script !== undefined)
    throw refuse("init.broken-package", `${file}: script ${JSON.stringify(script)} is no text`, "npm pkg fix may help");
  return { file, text, json };
}

/** Returns the place of the property that a new key comes behind, so that sorted keys stay sorted; -1: behind the last. */
function sortedPlace({ properties }: ObjectExpression, key: string): number {
  const keys = properties.map((property) => (property.type === "Property" ? nameOfKey(property) : ""));
  const isSorted = keys.every((name, at) => at === 0 || keys[at - 1]! < name);
  const behind = keys.filter((name) => name < key).length - 1;
  return isSorted && behind >= 0 && behind < keys.length - 1 ? behind : -1;
}

const nameOfKey = ({ key }: { key: { type: string } }): string =>
  key.type === "Literal" ? String((key as { value?: unknown }).value) : "";

const quote = (value: string): string => JSON.stringify(value);

/** A string, or conditions of `imports` that fit on a line. */
export type Entry = string | Readonly<Record<string, string>>;
export type Entries = Readonly<Record<string, Entry>>;

const entryText = (value: Entry): string =>
  typeof value === "string"
    ? quote(value)
    : `{ ${Object.entries(value)
        .map(([key, target]) => `${quote(key)}: ${quote(target)}`)
        .join(", ")} }`;

/** The text with something added to the string of an entry, `at` a place in that string. */
export function withInsertion(text: string, section: string, key: string, at: number, added: string): string {
  const inside = propertyOf(parseJson(text) as ObjectExpression, section)?.value as ObjectExpression;
  const { value } = propertyOf(inside, key)!;
  const before = String(value.type === "Literal" ? value.value : "").slice(0, at);
  // JSON text up to the place, with quotes escaped and without the closing quote.
  return insert(text, [{ at: value.start + quote(before).length - 1, text: quote(added).slice(1, -1) }]);
}

/** The text with entries added to one of its sections, in the order given; the section is made where it is missing. */
export function withEntries(text: string, section: (typeof sections)[number], entries: Entries): string {
  return Object.entries(entries).reduce((edited, [key, value]) => withEntry(edited, section, key, value), text);
}

function withEntry(text: string, section: string, key: string, value: Entry): string {
  const object = parseJson(text) as ObjectExpression;
  const inside = propertyOf(object, section)?.value;
  const entry = `${quote(key)}: ${entryText(value)}`;
  if (inside?.type === "ObjectExpression") {
    const behind = section.endsWith("ependencies") ? sortedPlace(inside, key) : -1;
    return insert(text, [newProperty(text, inside, entry, behind)]);
  }
  const unit = indentUnit(text);
  const eol = endOfLine(text);
  const whole = `${quote(section)}: {${eol}${unit}${unit}${entry}${eol}${unit}}`;
  const scripts = propertyOf(object, "scripts");
  const behind = section === "imports" && scripts ? object.properties.indexOf(scripts) : -1;
  return insert(text, [newProperty(text, object, whole, behind)]);
}
