import { parseConfig } from '@weir/kit/config';
import { createLogger } from '@weir/kit/log';
import { findMigrations, migrate } from '@weir/kit/migrations';
import { connect, isServing, whyNotServing } from '@weir/kit/rpc';
import { createEmptyDatabase } from '@weir/kit/testing';
import { AccessServiceDefinition } from '@weir/proto/access';
import { expect, test } from 'vitest';
import { settings } from '../src/config.js';
import { startAccess } from '../src/service.js';
import { actor, root } from './started-access.js';

test('H6: started before the migration it waits for it, and then serves', async () => {
  await using database = await createEmptyDatabase();
  const ready = Promise.withResolvers<void>();
  const log = createLogger('access', 'silent');
  log.info = ((event: { ready?: boolean }) => {
    if (event.ready === true) ready.resolve();
  }) as never;
  const config = parseConfig(settings, { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0' });
  await using service = await startAccess(config, log);
  expect(await isServing(service.address)).toBe(false);
  expect(await whyNotServing(service.address)).toMatch(
    /^schema access cannot be read, \d+ is needed: run weir migrate$/,
  );
  const sets = await findMigrations(root);
  await migrate(
    database.url,
    sets.filter((set) => set.service === 'access'),
  );
  await ready.promise;
  expect(await isServing(service.address)).toBe(true);
  expect(await whyNotServing(service.address)).toBeUndefined();
  using client = connect(AccessServiceDefinition, service.address);
  await client.createOrganization({ name: 'First', actor });
});
