import { createTestDatabase, findOtherWalks, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { sessionSettings } from '../src/store/session-settings.js';
import '../src/service.js';

test('every statement fits the migrated schema and the rights of the role, and policies choose none of its indexes', async () => {
  await using database = await createTestDatabase(new URL('../../..', import.meta.url).pathname, 'parsers');
  expect(await prepareStatements(database.url, 'weir_parsers_tenant')).toBeGreaterThan(6);
  expect(await findOtherWalks(database.url, ['weir_parsers', 'weir_parsers_tenant'], sessionSettings)).toEqual([]);
});
