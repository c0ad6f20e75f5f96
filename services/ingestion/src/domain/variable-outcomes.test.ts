import { idBytes } from '@weir/kit/ids';
import { PointsPacker, unpackPoints } from '@weir/points';
import { describe, expect, test } from 'vitest';
import { mergeVariableIds, variableOutcomes } from './variable-outcomes.js';

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
    expect(variableOutcomes(points, 1, { state: 'queued' }, undefined, [failed])).toEqual([
      { name: 'y', outcome: 'queued' },
      { name: 'x', outcome: 'queued' },
    ]);
  });

  test('are by position in the point, their ids by channel', () => {
    expect(variableOutcomes(points, 1, { state: 'partially_succeeded' }, variableIds, [failed])).toEqual([
      { name: 'y', variableId: undefined, outcome: 'stored' },
      { name: 'x', variableId: x, outcome: 'failed', error },
    ]);
  });

  test('of a failed run are failed with its error', () => {
    expect(variableOutcomes(points, 0, { state: 'failed', error }, variableIds, [])).toEqual([
      { name: 'x', variableId: x, outcome: 'failed', error },
    ]);
  });
});

test('mergeVariableIds keeps what the newer ones leave out', () => {
  const none = Buffer.alloc(16);
  const older = Buffer.concat([idBytes(x), none]);
  expect(mergeVariableIds(older, Buffer.concat([none, idBytes(y)]))).toEqual(Buffer.concat([idBytes(x), idBytes(y)]));
  expect(mergeVariableIds(older, Buffer.alloc(0))).toEqual(older);
  expect(mergeVariableIds(undefined, older)).toEqual(older);
});
