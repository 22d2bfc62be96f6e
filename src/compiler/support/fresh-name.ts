// A name that nothing has yet: the stem itself where it is free, else the stem and a count from 2 on.

export function freshName(stem: string, isTaken: (name: string) => boolean): string {
  let name = stem;
  for (let count = 2; isTaken(name); count++) name = `${stem}${count}`;
  return name;
}
