import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { openFaultStack } from '../harness/fault-stack.js';
import { reading } from '../harness/points.js';
import { createTenant } from '../harness/tenant.js';
import { underLoad } from '../history/under-load.js';
import { seed } from './seed.js';

const run = promisify(execFile);
/** Batches whose messages are in the stream when the database is restored to a time before them. */
const staleBatches = 30;

test(`J11: PostgreSQL is restored from a base backup while NATS has messages of later batches (FAULT_SEED=${seed})`, async () => {
  await using faults = await openFaultStack({ processors: 2 });
  const { servers, stack } = faults;
  const [data, backup] = [join(servers.directory, 'postgres'), join(servers.directory, 'postgres.backup')];
  const before = await underLoad(faults, seed, async () => {
    await delay(1000);
    const args = ['-D', backup, '-d', servers.databaseUrl, '-X', 'stream', '-c', 'fast'];
    await run(join(servers.postgresBin, 'pg_basebackup'), args);
    await delay(500);
  });
  expect(before).toMatchObject({ violations: [], failed: 0 });

  await Promise.all(['processor-1', 'processor-2'].map((name) => stack.kill(name)));
  const api = apiOf(stack.gatewayUrl, await createTenant(stack.addresses.access));
  for (let batch = 0; batch < staleBatches; batch++) await api.ingest([reading('stale', batch, batch)]);
  await servers.kill('postgres');
  // the data belong to the account that the server runs as
  await run('chown', ['-R', `--reference=${data}`, backup]);
  await rm(data, { recursive: true });
  await rename(backup, data);
  await servers.start('postgres');
  // one takes them all, and is asked what it made of them
  await stack.restart('processor-1');
  expect(await faults.messages()).toBe(0);
  expect(await faults.metric('ingestion', 'weir_ingestion_batches_unknown_total')).toBeGreaterThanOrEqual(staleBatches);
  await stack.restart('processor-2');

  const after = await underLoad(faults, seed + 1, () => delay(3000));
  expect(after).toMatchObject({ violations: [], failed: 0 });
});
