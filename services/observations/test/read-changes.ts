import type { RpcClient } from '@weir/kit/rpc';
import { parseInstant } from '@weir/kit/time';
import type { ObservationsServiceDefinition, Position, Range } from '@weir/proto/observations';
import { expect } from 'vitest';
import { projectId } from './test-points.js';

/** What all pages of a read answered. */
export interface Read {
  readonly mark: string;
  /** By variable: second → value. */
  readonly values: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** By variable, half-open and in seconds. */
  readonly ranges: ReadonlyMap<number, readonly (readonly [number, number])[]>;
}

/** Reads all pages, and checks each. */
export async function readChanges(
  client: RpcClient<typeof ObservationsServiceDefinition>,
  variableKeys: readonly number[],
  options: { changedSince?: string; limit?: number; descending?: boolean; startUs?: number; endUs?: number } = {},
): Promise<Read> {
  const { limit = 1000, descending = false, ...rest } = options;
  const values = new Map<number, Map<number, number>>();
  const ranges = new Map<number, [number, number][]>();
  let mark: string | undefined;
  let after: Position | undefined;
  do {
    const page = await client.listObservations({
      projectId,
      variableKeys: [...variableKeys],
      limit,
      descending,
      ...rest,
      after,
    });
    for (const { variableKey, timestampsJson, valuesJson, changedRanges } of page.series) {
      const own = values.get(variableKey) ?? new Map<number, number>();
      values.set(variableKey, own);
      const seconds = (JSON.parse(timestampsJson) as string[]).map((text) => (parseInstant(text) as number) / 1e6);
      const found = JSON.parse(valuesJson) as number[];
      seconds.forEach((second, i) => {
        expect(own.has(second)).toBe(false);
        own.set(second, found[i] as number);
        const covers = ({ startUs, endUs }: Range) => startUs <= second * 1e6 && second * 1e6 < endUs;
        if (rest.changedSince !== undefined) expect(changedRanges.some(covers)).toBe(true);
      });
      const told = changedRanges.map(({ startUs, endUs }): [number, number] => [startUs / 1e6, endUs / 1e6]);
      ranges.set(variableKey, [...(ranges.get(variableKey) ?? []), ...told]);
    }
    mark ??= page.changeMark;
    after = page.nextAfter;
  } while (after !== undefined);
  return { mark, values, ranges };
}

/** Brings a copy up to date by what was changed: all that lies in a changed range is replaced. */
export function applyChanges(copy: Map<number, Map<number, number>>, { values, ranges }: Read): void {
  for (const [key, own] of ranges) {
    const kept = copy.get(key) ?? new Map<number, number>();
    copy.set(key, kept);
    for (const second of [...kept.keys()])
      if (own.some(([start, end]) => start <= second && second < end)) kept.delete(second);
  }
  for (const [key, found] of values) for (const [second, value] of found) copy.get(key)?.set(second, value);
}
