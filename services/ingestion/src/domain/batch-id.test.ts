import { isId } from '@weir/kit/ids';
import { expect, test } from 'vitest';
import { newBatchId } from './batch-id.js';

test('a batch id is a UUIDv7 with room for an index, and rises with time', () => {
  const ids = Array.from({ length: 1000 }, newBatchId);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) {
    expect(isId(id)).toBe(true);
    expect(id).toMatch(/^.{14}7.{4}[89ab].*[048c]00$/);
  }
});
