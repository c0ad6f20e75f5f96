import { WeirError } from '@weir/kit/errors';
import { observationInstantMinUs } from '@weir/kit/time';
import { describe, expect, test } from 'vitest';
import { parseConstantPatch, parseNewConstant } from './constant.js';

const actor = { type: 'user', id: 'operator' };
const constant = { name: 'Slope', alias: '', values: [{ startTimeUs: 5, value: 1 }], actor };

function faultsOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
}

describe('a new constant', () => {
  test('has its values in ascending order, and no -0', () => {
    const values = [9, -Number.MAX_SAFE_INTEGER, 5].map((startTimeUs) => ({ startTimeUs, value: -0 }));
    expect(parseNewConstant({ ...constant, values })).toEqual({
      ...constant,
      alias: undefined,
      unit: undefined,
      values: [observationInstantMinUs, 5, 9].map((startTimeUs) => ({ startTimeUs, value: 0 })),
    });
  });

  test('tells every fault at once', () => {
    const values = [
      { startTimeUs: 1, value: Number.NaN },
      { startTimeUs: 1, value: Number.POSITIVE_INFINITY },
    ];
    expect(faultsOf(() => parseNewConstant({ name: '', alias: 'min', unit: '\0', values }))).toEqual([
      '/name invalid_name',
      '/alias invalid_alias',
      '/unit invalid_text',
      '/values/0/value invalid_number',
      '/values/1/value invalid_number',
      '/values/1/start_time duplicate_start_time',
      '/actor invalid_actor',
    ]);
  });

  test('has 1 to 10,000 values', () => {
    const values = Array.from({ length: 10_001 }, (_, startTimeUs) => ({ startTimeUs, value: 0 }));
    expect(faultsOf(() => parseNewConstant({ ...constant, values: values.slice(1) }))).toEqual([]);
    expect(faultsOf(() => parseNewConstant({ ...constant, values }))).toEqual(['/values out_of_range']);
    expect(faultsOf(() => parseNewConstant({ ...constant, values: [] }))).toEqual(['/values out_of_range']);
  });
});

describe('a patch', () => {
  test('has what is given and what is cleared', () => {
    expect(parseConstantPatch({ alias: 'k', cleared: ['unit'] })).toStrictEqual({ alias: 'k', unit: undefined });
    expect(parseConstantPatch({ values: { items: constant.values }, cleared: [] })).toEqual({
      values: constant.values,
    });
    expect(parseConstantPatch(undefined)).toEqual({});
  });

  test('tells every fault at once', () => {
    const wrong = { name: ' ', alias: '1', values: { items: [] }, cleared: ['alias', 'values'] };
    expect(faultsOf(() => parseConstantPatch(wrong))).toEqual([
      '/name invalid_name',
      '/alias invalid_alias',
      '/values out_of_range',
      '/alias not_nullable',
      '/values not_nullable',
    ]);
  });
});
