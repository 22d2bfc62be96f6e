import { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { coloured, hasColours } from "../../../src/cli/terminal/colours.ts";
import { textTable } from "../../../src/tuner/report/text-table.ts";

const csi = "\u001b[";

test("colours are for terminals that have them and whose owner wants them", () => {
  expect(hasColours({ isTTY: true, hasColors: () => true })).toBe(true);
  expect(hasColours({ isTTY: true, hasColors: () => false })).toBe(false);
  expect(hasColours({ isTTY: false, hasColors: () => true })).toBe(false);
  expect(hasColours({})).toBe(false);
  // The answers of Node's terminals where NO_COLOR is set, or a terminal is dumb.
  const depthOf = WriteStream.prototype.getColorDepth;
  expect(depthOf({ NO_COLOR: "1", COLORTERM: "truecolor" })).toBe(1);
  expect(depthOf({ TERM: "dumb" })).toBe(1);
});

test("a table has a bold head, and words that say what is right; its text is the same", () => {
  const table = textTable(
    ["target", "builds"],
    [
      ["wasm", "yes"],
      ["amx", "no"],
      ["notes", "nothing"],
    ],
  );
  const lines = coloured(table).split("\n");
  expect(stripVTControlCharacters(lines.join("\n"))).toBe(table);
  expect(lines[0]!.startsWith(`${csi}1m`)).toBe(true);
  expect(lines[2]).toContain(`${csi}32myes`);
  expect(lines[3]).toContain(`${csi}31mno`);
  expect(lines[4]).toBe("| notes  | nothing |");
});

test("lines of verify begin with a word in its colour", () => {
  expect(coloured("wrong    src/a.op.ts?tune=wasm")).toBe(`${csi}31mwrong${csi}39m    src/a.op.ts?tune=wasm`);
  expect(coloured("what is right or wrong")).toBe("what is right or wrong");
});
