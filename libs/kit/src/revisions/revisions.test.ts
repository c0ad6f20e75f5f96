import { expect, test } from 'vitest';
import { checkRevision } from './index.js';

const saved = { revision: 3, updatedAtUs: 1_700_000_000_000_000, updatedBy: { type: 'user', id: 'ada' } };

test('lets the current revision pass, and whoever names none', () => {
  checkRevision(3, saved);
  checkRevision(undefined, saved);
});

test.each([
  [0, 'is not at revision 0 any more'],
  [2, 'is not at revision 2 any more'],
  [4, 'has no revision 4 yet'],
])('refuses %j, and tells the current revision, when it was saved and by whom', (expected, what) => {
  expect(() => checkRevision(expected, saved)).toThrow(`The record ${what}. The current revision is 3`);
  const said = /current revision is 3, saved at 2023-11-14T22:13:20.000Z by user ada/;
  expect(() => checkRevision(expected, saved)).toThrow(
    expect.objectContaining({
      code: 'revision_conflict',
      message: expect.stringMatching(said),
      details: [{ path: '/expected_revision', code: 'revision_conflict', message: expect.stringMatching(said) }],
    }),
  );
});
