// What the machine cannot do, said in the words of the loops that ask for it: the code generator's only error.

export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}
