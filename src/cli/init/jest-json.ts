// Jest's configuration as JSON → the same with our transformer around each that it has. JSON has no place for the call of a function.
//
//   "transform": { "\\.ts$": "ts-jest" }
//     →  "transform": { "\\.ts$": ["unplugin-kernel/jest-transformer", { "inner": "ts-jest" }] }

import { NotUnderstood, propertyOf } from "./config-objects.ts";
import { type Expression, type ObjectExpression, parseJson, type SyntaxNode } from "./syntax.ts";
import { type Insertion, insert, newProperty } from "./text-edit.ts";

const transformer = `"unplugin-kernel/jest-transformer"`;

const around = (inner: string): string => `[${transformer}, { "inner": ${inner} }]`;

/** The transformer that Jest has for scripts where its configuration names none. */
const byBabel = `"transform": { "\\\\.[jt]sx?$": ${around('"babel-jest"')} }`;

const nameIn = (node: SyntaxNode): unknown => {
  const name = node.type === "ArrayExpression" ? node.elements[0] : node;
  return name?.type === "Literal" ? name.value : null;
};

function aroundTransformer(node: SyntaxNode): readonly Insertion[] {
  const name = nameIn(node);
  if (typeof name !== "string") throw new NotUnderstood("its transform is no list of names");
  // Jest finds these from the folder of the configuration, which a transformer is not told.
  if (/^(<rootDir>|\.)/.test(name)) throw new NotUnderstood(`its transformer ${name} is a file`);
  const [before = "", after = ""] = around("\0").split("\0");
  return [
    { at: node.start, text: before },
    { at: node.end, text: after },
  ];
}

function edits(text: string, config: ObjectExpression): readonly Insertion[] {
  if (propertyOf(config, "projects")) throw new NotUnderstood("it has projects");
  const transform = propertyOf(config, "transform")?.value;
  if (transform) {
    if (transform.type !== "ObjectExpression") throw new NotUnderstood("its transform is no object");
    return transform.properties.flatMap((one) => (one.type === "Property" ? aroundTransformer(one.value) : []));
  }
  if (propertyOf(config, "preset")) throw new NotUnderstood("its transformers are those of a preset");
  return [newProperty(text, config, byBabel)];
}

/**
 * @param section name of the property that has the configuration; null: the file is nothing else
 * @throws NotUnderstood it is to be moved to a script by hand
 */
export function wireJestJson(text: string, section: string | null): string {
  if (text.includes(transformer)) return text;
  const whole = parsed(text);
  const config = section === null ? whole : propertyOf(whole, section)?.value;
  if (config?.type !== "ObjectExpression") throw new NotUnderstood("it is the name of another file");
  return insert(text, edits(text, config));
}

/** @throws NotUnderstood the text is no JSON, or no object */
function parsed(text: string): ObjectExpression {
  let whole: Expression;
  try {
    whole = parseJson(text);
  } catch (error) {
    throw new NotUnderstood(`it cannot be read: ${(error as Error).message}`);
  }
  if (whole.type !== "ObjectExpression") throw new NotUnderstood("it is no object");
  return whole;
}
