/** Bundlers with an entry of their own, in the order of the columns. */
export const names: readonly string[];

export interface HostTest {
  readonly host: string;
  readonly feature: string;
  readonly status: string;
}

/** Report of Vitest's JSON reporter, as far as it is read. */
export interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

export function hostTests(report: TestReport): HostTest[];
export function hostTable(tests: readonly HostTest[]): string;
