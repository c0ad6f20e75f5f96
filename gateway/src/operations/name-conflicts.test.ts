import { WeirError } from '@weir/kit/errors';
import { expect, test } from 'vitest';
import { tellTakenAt } from './name-conflicts.js';

const taken = { path: '/name', code: 'name_taken', message: 'Another one has this name.' };

test('a taken name is told where the request has what takes it', async () => {
  const saving = Promise.reject(new WeirError('name_conflict', taken.message, { details: [taken] }));
  await expect(tellTakenAt('path/site_id', saving)).rejects.toMatchObject({
    code: 'name_conflict',
    message: taken.message,
    details: [{ ...taken, path: 'path/site_id' }],
  });
});

test('any other error, and what was saved, pass as they are', async () => {
  const stale = new WeirError('revision_conflict', 'Stale.', { details: [{ ...taken, path: '/expected_revision' }] });
  await expect(tellTakenAt('path/site_id', Promise.reject(stale))).rejects.toBe(stale);
  await expect(tellTakenAt('path/site_id', Promise.resolve(1))).resolves.toBe(1);
});
