import { idBytes } from '@weir/kit/ids';
import { PointsPacker, unpackPoints } from '@weir/points';
import { describe, expect, test } from 'vitest';
import { variableIdsAt, variableOutcomes } from './variable-outcomes.js';

const packer = new PointsPacker();
packer.beginPoint(1, undefined, 'A');
packer.addValue('x', 1);
packer.beginPoint(2, undefined, 'A');
packer.addValue('y', 1);
packer.addValue('x', 2);
const points = unpackPoints(packer.pack());

const x = '018bcfe5-6800-7000-8000-000000000001';
const y = '018bcfe5-6800-7000-8000-000000000002';
const error = { code: 'quota_exceeded', message: 'Enough.' };
const failed = { position: 1, outcome: 'failed', error } as const;

describe('variableOutcomes', () => {
  const variableIds = Buffer.concat([idBytes(x), Buffer.alloc(16)]);

  test('of a queued run are queued, whatever was before', () => {
    expect(variableOutcomes(points, 1, { state: 'queued' }, [], [failed])).toEqual([
      { name: 'y', outcome: 'queued' },
      { name: 'x', outcome: 'queued' },
    ]);
  });

  test('are by position in the point, their ids by channel', () => {
    expect(
      variableOutcomes(points, 1, { state: 'partially_succeeded' }, variableIdsAt(points, 1, variableIds), [failed]),
    ).toEqual([
      { name: 'y', variableId: undefined, outcome: 'stored' },
      { name: 'x', variableId: x, outcome: 'failed', error },
    ]);
  });

  test('of a failed run are failed with its error', () => {
    expect(variableOutcomes(points, 0, { state: 'failed', error }, variableIdsAt(points, 0, variableIds), [])).toEqual([
      { name: 'x', variableId: x, outcome: 'failed', error },
    ]);
  });
});

test('variables of a point are by position, none where the batch says none', () => {
  expect(variableIdsAt(points, 1, Buffer.concat([idBytes(x), idBytes(y)]))).toEqual([y, x]);
  expect(variableIdsAt(points, 1, idBytes(x))).toEqual(['', x]);
  expect(variableIdsAt(points, 0, Buffer.alloc(32))).toEqual(['']);
  expect(variableIdsAt(points, 1, undefined)).toEqual(['', '']);
});
