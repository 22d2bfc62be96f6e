// `types`: the declarations of all imports of kernels, before any bundle. Without `--out` the file that is there is written again.

import { resolve } from "node:path";
import { declarationsPlace, writtenDeclarations } from "../../plugin/declarations/declarations-file.ts";
import { projectDeclarations } from "../../plugin/declarations/project-declarations.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { hasText, writeIfChanged } from "../../plugin/support/write-if-changed.ts";
import { filesWithGeneralTypes } from "../init/starter-files.ts";
import { exitCodes, type Run } from "../project/command.ts";

export const run: Run = async ({ options }, _, { out, check = false }) => {
  const { root } = options;
  const file =
    out === undefined ? ((await writtenDeclarations(root)) ?? declarationsPlace(root)) : resolve(root, String(out));
  const { imports, text: wanted } = await projectDeclarations(options, file);
  const isCurrent = hasText(file, wanted);
  if (!check) writeIfChanged(file, wanted);
  const isWrong = Boolean(check) && !isCurrent;
  const name = slashPath(root, file);
  const state = isCurrent ? "is up to date" : check ? "is not up to date: run unplugin-kernel types" : "written";
  const general = filesWithGeneralTypes(root).map((path) => slashPath(root, path));
  const notes = general.map(
    (path) => `${path} has unplugin-kernel/client, whose general types come first: take it out`,
  );
  return {
    exitCode: isWrong ? exitCodes.wrong : exitCodes.done,
    json: { file, imports, isCurrent, general },
    text: [`${name} ${state}, ${imports.length} import${imports.length === 1 ? "" : "s"}`, ...notes].join("\n"),
  };
};
