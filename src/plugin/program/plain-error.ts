// Errors as a program that runs from its sources shows them. Node prints all that an error has, and where it was made, which says nothing
// about a mistake in an operator or an import.

import { DiagnosticError } from "../../compiler/index.ts";

/** Text of an error, as data that may go from thread to thread. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Returns the text of an error: a mistake of the user's has no stack, a bug of ours has its own. */
export function errorText(error: unknown): ErrorText {
  const { name, message, stack } = error as Error;
  const plain = `${name}: ${message}\n`;
  return { name, message, stack: error instanceof DiagnosticError ? plain : (stack ?? plain) };
}

export const errorOf = ({ name, message, stack }: ErrorText): Error =>
  Object.assign(new Error(message), { name, stack });

/** Returns a mistake of the user's without its stack and its diagnostic, and any other error as it is. */
export const plainError = (error: unknown): unknown =>
  error instanceof DiagnosticError ? errorOf(errorText(error)) : error;
