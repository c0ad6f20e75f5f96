import { isId, runId } from '@weir/kit/ids';
import { expect, test } from 'vitest';
import { admittedAtUs, greatestId, leastBatchId, newBatchId } from './batch-id.js';

test('a batch id is a UUIDv7 with room for an index, and rises with time', () => {
  const ids = Array.from({ length: 1000 }, newBatchId);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) {
    expect(isId(id)).toBe(true);
    expect(id).toMatch(/^.{14}7.{4}[89ab].*[048c]00$/);
  }
});

test('an id tells when its batch was admitted', () => {
  expect(admittedAtUs('018bcfe5-6800-7000-8000-000000000000')).toBe(1_700_000_000_000_000);
  const id = newBatchId();
  expect(admittedAtUs(runId(id, 1023))).toBe(admittedAtUs(id));
});

test('the least id of an instant divides ids at it', () => {
  const id = '018bcfe5-6800-7000-8000-000000000000';
  expect(leastBatchId(1_700_000_000_000_000) <= id).toBe(true);
  expect(leastBatchId(1_700_000_000_000_001) > id).toBe(true);
  expect(leastBatchId(-5e15)).toBe('00000000-0000-0000-0000-000000000000');
  expect(leastBatchId(9e20) < greatestId).toBe(true);
  expect(isId(leastBatchId(9e20))).toBe(true);
});
