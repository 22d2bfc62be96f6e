// Type of a row of the matrix: a starter, and the way to make, wire, build and ask it.

export interface Row {
  readonly name: string;
  /** Whether its maker's command makes it here, or its files are written as the maker would: that downloads from elsewhere than npm. */
  readonly made: "by its maker" | "as its maker would";
  /** Packages whose versions are recorded. */
  readonly packages: readonly string[];
  /** A version of Node from npm, where the starter refuses the one that runs this. */
  readonly node?: string;
  /** Makes the project in a folder that is there, and empty, with all that it asks for installed. */
  create(project: Project): void;
  /** Commands of the project's package manager; default: npm's. */
  readonly commands?: Commands;
  /** The user's own lines, as the README has them. */
  write(project: Project): void;
  /** The starter's own type check; "by build": it is a part of that; null: it has none. */
  readonly check: string | null;
  /** Null: the program runs from its sources. */
  readonly build: string | null;
  /** Returns the answer of the program. */
  answer(project: Project): string | Promise<string>;
}

export interface Commands {
  add(tarball: string): string;
  /** Runs the program of a package. */
  readonly exec: string;
  /** Runs a script of package.json. */
  readonly run: string;
}

export interface Project {
  readonly folder: string;
  /** Runs a command in the folder. @returns what it printed @throws with all that it printed */
  run(command: string): string;
  /** Starts a command, asks an address until it answers, and ends it. @param command gets the variable PORT */
  ask(command: string, path?: string): Promise<string>;
  read(file: string): string;
  write(file: string, text: string): void;
  append(file: string, text: string): void;
}

/** The right answer: 1 · 1, 512 times, of a kernel that is one. */
export const right = /C\[0\] = 512, (?:wasm|wasm-relaxed|native)(?![\w-])/;
