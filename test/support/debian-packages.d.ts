export function unpackDebian(wishes: {
  readonly folder: string;
  readonly suite: string;
  readonly area?: string;
  readonly packages: readonly string[];
  readonly withDependencies?: boolean;
}): Promise<void>;
