export interface Pattern {
  readonly files: string;
  readonly names: string;
  readonly onlySkipped?: true;
}

export interface SkipList {
  readonly needs: Readonly<Record<string, { readonly inCI: boolean; readonly what: string }>>;
  readonly skips: readonly {
    readonly lacks: readonly string[];
    readonly reason: string;
    readonly tests: readonly Pattern[];
  }[];
}

export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

export interface Environment {
  readonly isCI: boolean;
  isHere(name: string): boolean;
  isDeclined(name: string): boolean;
}

export const listed: SkipList;
export function complaintOf(test: NamedTest, environment: Environment, list?: SkipList): string | null;
export function stalePatterns(tests: readonly NamedTest[], list?: SkipList): readonly Pattern[];
