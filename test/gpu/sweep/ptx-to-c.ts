// PTX → C++ for test/native/cuda/cpu-ptx.h: a function of each kernel, with a local for each register and a `goto` for each branch. The whole of
// the text has to be understood: an Error names the instruction that is not.

import { effectStatement } from "./ptx/effects.ts";
import { cppName, isSpecial, newScope, type Operands, type Scope } from "./ptx/operands.ts";
import { type PtxEntry, type PtxInstruction, type PtxModule, type PtxStatement, readPtx } from "./ptx/read-ptx.ts";
import { cppType } from "./ptx/types.ts";
import { valueStatement } from "./ptx/values.ts";

/** Returns functions with the names of the kernels. */
export function ptxToCpp(text: string): string {
  const module = readPtx(text);
  return module.entries.map((entry) => functionOf(entry, module)).join("\n");
}

function functionOf({ name, parameters, body }: PtxEntry, { shared }: PtxModule): string {
  const scope = newScope();
  // Addresses of shared memory are numbers of its bytes; the others are those of this process.
  if (shared !== null) scope.place(shared, "shared", "0ull");
  for (const parameter of parameters) scope.place(parameter.name, "param", addressOf(parameter.name));
  const given = parameters.map((parameter) => {
    const type = parameter.bytes === null ? cppType(parameter.type) : "uk_argument";
    return `${type} ${cppName(parameter.name)}`;
  });
  const lines = body.map((statement) => statementOf(statement, scope));
  return [`static void ${name}(${given.join(", ")}) {`, ...lines, "}"].join("\n");
}

const addressOf = (name: string): string => `(unsigned long long)&${cppName(name)}`;

function statementOf(statement: PtxStatement, scope: Scope): string {
  switch (statement.kind) {
    case "open":
      scope.enter();
      return "{";
    case "close":
      scope.leave();
      return "}";
    case "label":
      return `${cppName(statement.name)}:;`;
    case "registers":
      return scope.declare(statement.type, statement.names);
    case "local": {
      const { name, align, bytes } = statement;
      scope.place(name, "local", addressOf(name));
      const own = cppName(name);
      return `alignas(${align}) unsigned char ${own}[${bytes}]; memset(${own}, 0xff, sizeof ${own});`;
    }
    case "instruction":
      return instructionOf(statement, scope);
  }
}

function instructionOf(instruction: PtxInstruction, scope: Operands): string {
  const { text, guard } = instruction;
  try {
    const statement = unguarded(instruction, scope);
    if (guard === null) return statement;
    return `if (${guard.startsWith("!") ? "!" : ""}${scope.read(guard.replace("!", ""), "pred")}) { ${statement} }`;
  } catch (error) {
    throw new Error(`PTX: ${text}: ${(error as Error).message}`);
  }
}

function unguarded(instruction: PtxInstruction, scope: Operands): string {
  const { opcode, operands } = instruction;
  const [name] = opcode.split(".");
  if (name !== "mov" && name !== "cvt" && operands.some(isSpecial)) throw new Error("it reads a special register");
  const isPack = name === "mov" && operands.some((operand) => operand.startsWith("{"));
  const statement = (isPack ? null : valueStatement(instruction, scope)) ?? effectStatement(instruction, scope);
  if (statement === null) throw new Error("it is not known");
  return statement;
}
