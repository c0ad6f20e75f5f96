import { newId } from '@weir/kit/ids';
import { expect, test } from 'vitest';
import { batchOf, toBatchNames, toNameColumns } from './batch-name.js';

test('a name is of the batch that has its number and its public id, or its number where it says no more', () => {
  const [now, before] = [newId(), newId()];
  const batches = new Map([[5, { publicId: now }]]);
  const names = toBatchNames([5, 5, 5, 5, 6, 6], [now, before, '', 'x', now]);
  expect(names.map((name) => batchOf(name, batches)?.publicId)).toEqual([
    now,
    undefined,
    now,
    undefined,
    undefined,
    undefined,
  ]);
  expect(toNameColumns(names)).toEqual({
    batchIds: [5, 5, 5, 5, 6, 6],
    publicIds: [now, before, '00000000-0000-0000-0000-000000000000', now],
    unsaidIds: [5, 6],
  });
  expect(toBatchNames([5], [])).toEqual([{ batchId: 5, publicId: undefined }]);
});
