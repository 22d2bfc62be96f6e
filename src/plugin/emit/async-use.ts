// Says whether a program may call `.async` of a kernel. If not, its output does not get the script of workers. (A
// library always may: others call its exports.)
//
// Only the user's own modules count: those of packages name `async` for reasons of their own (attributes of scripts), and have no kernels.
// Should one slip through, its call is computed on the caller's thread, as under a policy that forbids workers.

import { runtimePaths } from "../binding/runtime-files.ts";
import { requestPattern } from "../request/request.ts";

/** `.async`, `["async"]`, `{ async }`, `{ async: run }` */
const asyncMember = /\.\s*async\b|["'`]async["'`]|[{,]\s*async\s*[:,}=]/;

export const mayCallAsync = (text: string): boolean => asyncMember.test(text);

/** @param id of a module; an absolute path where it is a file */
export function isUsers(id: string): boolean {
  const own = Object.values(runtimePaths());
  const path = id.replaceAll("\\", "/");
  return !path.includes("/node_modules/") && !requestPattern.test(id) && !own.includes(path);
}
