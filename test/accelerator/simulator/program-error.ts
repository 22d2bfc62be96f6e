// The simulator's only error: an instruction did something that no program may do.

export class ProgramError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProgramError";
  }
}
