import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmptyDatabase, testServer } from '@weir/kit/testing';
import { startStack } from '@weir/stack';
import { expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { root } from '../harness/checkout.js';
import { reading } from '../harness/points.js';
import { outputsOf, scriptOf, shellBlocks } from '../harness/shell-blocks.js';
import { deleteStream, openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

test('a backup is taken while Weir runs, restored as the page says, and what was stored is read from it', async () => {
  await using stack = await openTestStack();
  const tenant = await createTenant(stack.addresses.access);
  const api = apiOf(stack.gatewayUrl, tenant);
  const { runs } = await api.ingest([reading('kept', 0, 1.5), reading('kept', 1, 2.5)]);
  await stack.drained();
  const { variables } = await api.run(runs[0]?.run_id ?? '');

  await using opened = new AsyncDisposableStack();
  const restored = opened.use(await createEmptyDatabase());
  const directory = await mkdtemp(join(tmpdir(), 'weir-backup-'));
  opened.defer(() => rm(directory, { recursive: true }));
  const weir = join(directory, 'weir');
  await writeFile(weir, `#!/bin/sh\nexec '${process.execPath}' '${root}/cli/dist/main.js' "$@"\n`);
  await chmod(weir, 0o755);
  const env = {
    PATH: `${directory}:${process.env['PATH'] ?? ''}`,
    BACKUP: join(directory, 'weir.dump'),
    DATABASE_URL: stack.databaseUrl,
    RESTORED_URL: restored.url,
  };
  const blocks = shellBlocks(await readFile(join(root, 'docs/operators/backup.md'), 'utf8'));
  const { stdout } = await promisify(execFile)('bash', ['-c', scriptOf(blocks)], { env });
  expect(outputsOf(stdout).at(-1)?.trim()).toBe('2');

  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const natsUrl = testServer('NATS_URL');
  opened.defer(() => deleteStream(natsUrl, prefix));
  const servers = { databaseUrl: restored.url, redisUrl: testServer('REDIS_URL'), natsUrl };
  const again = opened.use(await startStack({ servers, prefix }));
  const read = apiOf(again.gatewayUrl, tenant);
  expect((await read.observations(variables[0]?.variable_id ?? '')).values).toEqual([1.5, 2.5]);
});
