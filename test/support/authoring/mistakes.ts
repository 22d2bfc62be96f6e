// Mistakes that authors make, planted in a right operator file wherever they fit. Each gives a file that no build may accept.

import { type Call, callsIn, spliced } from "./calls.ts";

export interface Planted {
  readonly what: string;
  readonly text: string;
}

type Plant = (source: string) => readonly string[];

const lastName = ({ name }: Call): string => name.slice(name.lastIndexOf(".") + 1);
const isMethod = ({ name, start }: Call, source: string): boolean =>
  source[start - 1] === "." || (name.includes(".") && !name.startsWith("op."));

const atCalls =
  (change: (call: Call, source: string) => string | readonly string[] | null): Plant =>
  (source) =>
    callsIn(source).flatMap((call) => change(call, source) ?? []);

/** Each match of `pattern` with another text. */
const atMatches =
  (pattern: RegExp, text: string | ((...groups: string[]) => string)): Plant =>
  (source) =>
    [...source.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map((match) => {
      const more = typeof text === "string" ? text : text(...match);
      return spliced(source, match.index, match.index + match[0].length, more);
    });

const signs: Readonly<Record<string, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  ge: ">=",
  lt: "<",
  max: "**",
};

/** `x.add(y)` → `x + (y)`. */
const operator = atCalls((call, source) => {
  const sign = signs[lastName(call)];
  if (!sign || !isMethod(call, source) || call.args.length !== 1) return null;
  const from = call.name.includes(".") ? call.start + call.name.lastIndexOf(".") : call.start - 1;
  return spliced(source, from, call.end, ` ${sign} (${call.args[0]!.text})`);
});

const isRead = ({ name }: Call): boolean => /^(?:A|B|bias|image|X|mean|documents|query|score)$/.test(name);
const onReads = (change: (text: string) => string): Plant =>
  atCalls((call, source) =>
    isRead(call) ? spliced(source, call.start, call.end, change(source.slice(call.start, call.end))) : null,
  );

const onArguments = (names: readonly string[], at: number, texts: readonly string[]): Plant =>
  atCalls((call, source) => {
    const argument = call.args[at];
    if (!argument || !names.includes(lastName(call))) return null;
    return texts.map((text) => spliced(source, argument.start, argument.end, ` ${text}`));
  });

const without = (names: readonly string[], at: number): Plant =>
  atCalls((call, source) => {
    const [argument, before] = [call.args[at], call.args[at - 1]];
    if (!argument || !names.includes(lastName(call))) return null;
    return spliced(source, before?.end ?? argument.start, call.args.at(-1)!.end, "");
  });

const badExtents = [
  "0",
  "-3",
  "2.5",
  "NaN",
  "1e12",
  "1e400",
  "undefined",
  "null",
  '"8"',
  "8n",
  "[8]",
  "{}",
  "true",
  "1 / missing?.size",
];
const badParameters = [
  '"8"',
  "undefined",
  "null",
  "NaN",
  "true",
  "8n",
  "[8]",
  "{}",
  '"float32"',
  "1 / 0",
  "() => 8",
  "-1",
  "0",
  "2.5",
];
/** How a source names the module of the language. */
const prefix = (source: string): string => (source.includes("* as op") ? "op." : "");
const statement = (text: string): Plant => atMatches(/^ {2}(?=const|return)/m, `  ${text}\n  `);
const atTop =
  (text: string): Plant =>
  (source) => [source.replace(/^(?=const|function|export)/m, `${text}\n`)];

const plants: Readonly<Record<string, Plant>> = {
  "an operator of JavaScript": operator,
  "minus before an expression": onReads((text) => `(-${text})`),
  "++ of an expression": onReads((text) => `((value) => ++value)(${text})`),
  "Math of an expression": onReads((text) => `Math.exp(${text})`),
  "a bit of an expression": onReads((text) => `(${text} | 0)`),
  "an expression in a template": onReads((text) => `\`\${${text}}\``),
  "an expression as text": onReads((text) => `String(${text})`),
  "an expression as JSON": onReads((text) => `JSON.stringify(${text})`),
  "an expression as a condition": onReads((text) => `(${text} ? 1 : 0)`),
  "not of an expression": onReads((text) => `(!${text})`),
  "&& of an expression": onReads((text) => `(${text} && 1)`),
  "=== of an expression": onReads((text) => `(${text} === 0 ? 0 : 1)`),
  "an if over an expression": onReads((text) => `(() => { if (${text}) return 1; return 0; })()`),
  "a tensor read with brackets": atCalls((call, source) =>
    isRead(call) && call.args.length > 0
      ? spliced(source, call.start, call.end, `${call.name}${call.args.map(({ text }) => `[${text.trim()}]`).join("")}`)
      : null,
  ),
  "a tensor without indices": atCalls((call, source) =>
    isRead(call) ? spliced(source, call.start, call.end, call.name) : null,
  ),
  "a choice of JavaScript": atCalls((call, source) =>
    call.name === "select"
      ? spliced(source, call.start, call.end, `(${call.args[0]!.text} ? ${call.args[1]!.text} : ${call.args[2]!.text})`)
      : null,
  ),
  "too many indices": onReads((text) => text.replace(/\)$/, ", 0)")),
  "an index too few": atCalls((call, source) => {
    const last = call.args.at(-1);
    return isRead(call) && last ? spliced(source, call.args.at(-2)?.end ?? last.start, last.end, "") : null;
  }),
  "an index that is no integer": atCalls((call, source) =>
    isRead(call)
      ? call.args.flatMap(({ start, end }) =>
          ["0.5", "NaN", "-1", "1e9", "undefined", "null", '"0"', "[0]", "{}", "0n", "true"].map((text) =>
            spliced(source, start, end, text),
          ),
        )
      : null,
  ),
  "a bad dimension": atCalls((call, source) => {
    if (!["tensor", "compute"].includes(lastName(call))) return null;
    const shape = call.args[1]!;
    const names = [...shape.text.matchAll(/\w+/g)];
    return names.flatMap((name) =>
      badExtents.map((text) => {
        const at = shape.start + name.index;
        return spliced(source, at, at + name[0].length, text);
      }),
    );
  }),
  "a bad extent of an axis": onArguments(["reduceAxis"], 1, badExtents),
  "a bad shape": onArguments(["tensor", "compute"], 1, [
    "8",
    "undefined",
    "null",
    '"8, 8"',
    "{ M: 8 }",
    "new Set([8])",
  ]),
  "a bad name": onArguments(["tensor", "compute", "reduceAxis"], 0, [
    "3",
    "undefined",
    "null",
    '""',
    '"a b"',
    '"1a"',
    "{}",
    '"__x"',
  ]),
  "a type that is none": onArguments(["tensor", "cast"], 2, [
    '"float32"',
    '"F32"',
    "32",
    "undefined",
    "null",
    "Float32Array",
    "{}",
  ]),
  "a cast to a type that is none": onArguments(["cast"], 0, ['"float32"', "undefined", "Float32Array"]),
  "an operand that is none": onArguments(["add", "mul", "sub", "max", "ge"], 0, [
    "undefined",
    "null",
    '"2"',
    '"x"',
    "{}",
    "[1]",
    "2n",
    "() => 2",
    "true",
    "Symbol()",
    "new Map()",
    "Promise.resolve(1)",
  ]),
  "a reduction over something else": onArguments(["sum", "argmax"], 1, [
    "undefined",
    "null",
    "0",
    '"k"',
    "[]",
    "{}",
    "[undefined]",
    "8n",
  ]),
  "a reduction of something else": onArguments(["sum", "argmax"], 0, ["undefined", "null", "1", '"x"', "[]", "{}"]),
  "a compute of something else": onArguments(["compute"], 2, [
    "undefined",
    "null",
    "0",
    "{}",
    "async () => 1",
    "function* () {}",
    "class {}",
    "() => {}",
    "() => null",
    "() => undefined",
    "() => [1]",
    "() => NaN",
    "() => 1n",
    "() => 'x'",
    "() => compute",
  ]),
  "a missing argument": (source) =>
    [
      without(
        [
          "tensor",
          "compute",
          "reduceAxis",
          "sum",
          "argmax",
          "add",
          "mul",
          "div",
          "select",
          "cast",
          "defineOp",
          "withConstants",
          "gemm",
        ],
        0,
      ),
      without(["tensor", "compute", "reduceAxis", "sum", "argmax", "select", "defineOp"], 1),
      without(["tensor", "compute", "select"], 2),
    ].flatMap((plant) => plant(source)),
  "arguments in the wrong order": atCalls((call, source) => {
    const [first, second] = call.args;
    if (
      !first ||
      !second ||
      !["tensor", "compute", "reduceAxis", "sum", "argmax", "defineOp", "withConstants", "gemm"].includes(
        lastName(call),
      )
    )
      return null;
    return spliced(spliced(source, second.start, second.end, first.text), first.start, first.end, second.text);
  }),
  "a wrong name": atCalls((call, source) =>
    ["tensr", "Tensor", "reduceaxis", "plus", "relu"].map((name) =>
      spliced(source, call.start + call.name.length - lastName(call).length, call.start + call.name.length, name),
    ),
  ),
  "a missing import": atMatches(/(?<=import \{.*)\b\w+,? (?=.*\} from)/, ""),
  "an import of a name that there is not": (source) =>
    source.includes("import {")
      ? [source.replace("import {", "import { relu,").replaceAll(/\bmax\(|\bgemm\(|\bselect\(|\bargmax\(/g, "relu(")]
      : [],
  "an import of the other module": (source) =>
    source.includes("argmax(") || source.includes("gemm(")
      ? [source.replace(/argmax(?=\()|gemm(?=\()/, "conv1d").replace(/argmax|gemm/, "conv1d")]
      : [],
  "an import of a file that there is not": atTop('import { helper } from "./helper.ts";\nhelper();'),
  "an import of a package that there is not": atTop('import helper from "no-such-package-here";\nhelper();'),
  "an async function": atMatches(/(?<=[ (])(?=\((?:\{|i|y|\)).*=>)/, "async "),
  "nothing returned": atMatches(/\breturn (?!\w+\.div|select)/, "void "),
  "an array returned": atMatches(
    /(?<=\n {2}return )(?!x\.)([^;{]+|\{[^}]*\})(?=;\n\})/,
    (text = "") => `[${text.replaceAll(/[{}]/g, "")}]`,
  ),
  "a result that is no compute": atMatches(/(?<=\n {2}return \{ )/, "extra: 1, "),
  "a result under another name": atMatches(/(?<=\n {2}return \{ )/, "extra: "),
  "no default export": atMatches(/export default /, ""),
  "an export that is not the default": atMatches(/export default /, "export const made = "),
  "a default export that is no operator": (source) =>
    [
      "3",
      "{}",
      "null",
      "undefined",
      "() => 1",
      "[]",
      '"x"',
      "class {}",
      "async () => 1",
      "Promise.resolve(1)",
      "new Map()",
    ].map((value) => `${source.replace("export default ", "export const made = ")}export default ${value};\n`),
  "a parameter that is no size": (source) =>
    badParameters.flatMap((value) => atMatches(/(?<=(?:M|N|H|W|K|D|rows|columns): )(?:\d+|size)/, value)(source)),
  "a parameter that there is not": atMatches(/(?<=\(\{ .*)\b(?:K|W|columns|D) (?=.*\}\) =>)/, "size "),
  "it throws": (source) =>
    [
      "throw new Error('no');",
      "throw 'no';",
      "throw undefined;",
      "throw null;",
      "throw { code: 1 };",
      "null.size;",
      "undefinedName;",
      "[].at(0).size;",
      "new Array(-1);",
      "JSON.parse('{');",
      "throw Object.assign(new Error(), { message: 3 });",
      "throw Object.create(null);",
    ].flatMap((text) => [...statement(text)(source), ...atTop(text)(source)]),
  "a recursion without end": (source) => {
    const text = "(function again() { return again() + 1; })();";
    return [...statement(text)(source).slice(0, 1), ...atTop(text)(source)];
  },
  "a syntax error": (source) =>
    [")", "(", "{", "}", "const", "=> =>", "@", "#", "`", "let let = 1;"].flatMap((text) => atTop(text)(source)),
  "a name used before its value": atTop("early();\nconst early = () => 1;"),
  "a name declared twice": atTop("const twice = 1;\nconst twice = 2;"),
  "a file that imports itself": (source) => [
    source.replace(/^(?=const|function|export)/m, 'import self from "./x.op.ts";\nself.size;\n'),
  ],
  "an await at the top": atTop("await Promise.resolve(1);"),
  "a tensor that is not used": (source) =>
    statement(`${prefix(source)}tensor("extra", [2], "f32");`)(source).filter(() => source.includes("tensor(")),
  "a tensor outside of the operator": (source) =>
    atTop(`const early = ${prefix(source)}tensor("early", [1], "f32");`)(source).filter(() =>
      source.includes("tensor("),
    ),
  "a library's parameter that there is not": atMatches(/(?<=gemm\(\{ |\}, \{ )/, "extra: 1, "),
  "a library's value that there is not": atMatches(/"gelu"/, '"swish"'),
  "an operator called": (source) =>
    source.includes("gemm(") ? [source.replace(/gemm\((.*)\), "B"/, 'gemm($1)(1), "B"')] : [],
  "an input that there is not": atMatches(/"bias"(?=\))/, '"weights"'),
};

export const mistakeNames: readonly string[] = Object.keys(plants);

/** All mistakes at all places of a source, in a fixed order. */
export const mistakesIn = (source: string): readonly Planted[] =>
  Object.entries(plants).flatMap(([what, plant]) =>
    plant(source)
      .filter((text) => text !== source)
      .map((text) => ({ what, text })),
  );
