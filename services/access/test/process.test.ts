import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isServing } from '@weir/kit/rpc';
import { createTestDatabase } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { root } from './started-access.js';

const main = join(root, 'services/access/dist/main.js');

test('the process says when it is ready, serves, and stops on SIGTERM', async () => {
  await using database = await createTestDatabase(root, 'access');
  const env = { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0', LOG_LEVEL: 'silent' };
  const child = fork(main, { env, silent: true });
  const exited = once(child, 'exit');
  const [message] = (await once(child, 'message')) as [{ ready: boolean; address: string }];
  expect(message.ready).toBe(true);
  expect(await isServing(message.address)).toBe(true);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('the process refuses a wrong environment with 78', async () => {
  const child = fork(main, { env: { LISTEN_ADDRESS: 'here', DATABASE_POOL_MAX: '0' }, silent: true });
  let stderr = '';
  child.stderr?.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  expect(await once(child, 'close')).toEqual([78, null]);
  for (const name of ['DATABASE_URL', 'LISTEN_ADDRESS', 'DATABASE_POOL_MAX']) expect(stderr).toContain(name);
});
