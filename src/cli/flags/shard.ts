// `--shard 2/5`: the second fifth of the kernels, for jobs of a CI matrix. Every kernel is in one shard, whatever the order in which
// they were found.

import type { ParsedRequest } from "../../plugin/request/request.ts";
import { badArgument } from "../project/command.ts";

export interface Shard {
  /** Number of this shard, from 1. */
  readonly at: number;
  readonly of: number;
}

/** @throws DiagnosticError `command.bad-argument` */
export function shardOf(flag: unknown): Shard | null {
  if (flag === undefined) return null;
  const [, at = 0, of = 0] = /^(\d{1,4})\/(\d{1,4})$/.exec(String(flag))?.map(Number) ?? [];
  if (at >= 1 && at <= of) return { at, of };
  throw badArgument(`--shard is "${flag}"`, "<number>/<count>, such as 1/4, with a number from 1 to the count");
}

/** Returns the kernels of a shard. It may have none, where there are fewer kernels than shards. */
export function inShard(kernels: readonly ParsedRequest[], shard: Shard | null): readonly ParsedRequest[] {
  if (!shard) return kernels;
  const nameOf = ({ path, query }: ParsedRequest): string => path + query;
  const sorted = [...kernels].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return sorted.filter((_, place) => place % shard.of === shard.at - 1);
}
