// What a program did that no program may do, with the instruction that did it: the simulator's only error.

export class ProgramError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProgramError";
  }
}
