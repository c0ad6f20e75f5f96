import { createTestDatabase, findOtherWalks, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/service.js';

const root = new URL('../../..', import.meta.url).pathname;

test('every statement fits the migrated database and the rights of the service', async () => {
  await using database = await createTestDatabase(root, 'ingestion');
  expect(await prepareStatements(database.url, 'weir_ingestion_tenant')).toBeGreaterThan(25);
  expect(
    await findOtherWalks(database.url, ['weir_ingestion', 'weir_ingestion_tenant'], { enable_seqscan: 'off' }),
  ).toEqual([]);
});
