import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isServing } from '@weir/kit/rpc';
import { createTestDatabase } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { root } from './started-access.js';

const main = join(root, 'services/access/dist/main.js');

test('the process says when it is ready, serves, and stops on SIGTERM', async () => {
  await using database = await createTestDatabase('access');
  const env = { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0', LOG_LEVEL: 'silent' };
  const child = fork(main, { env, silent: true });
  const exited = once(child, 'exit');
  const [message] = (await once(child, 'message')) as [{ ready: boolean; address: string }];
  expect(message.ready).toBe(true);
  expect(await isServing(message.address)).toBe(true);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

/** What a process that must not start says, and what it ends with. */
async function refusal(env: NodeJS.ProcessEnv): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const child = fork(main, { env, silent: true });
  let stderr = '';
  child.stderr?.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

test('the process refuses a wrong environment with 78', async () => {
  const { code, stderr } = await refusal({ LISTEN_ADDRESS: 'here', DATABASE_POOL_MAX: '0' });
  expect(code).toBe(78);
  for (const name of ['DATABASE_URL', 'LISTEN_ADDRESS', 'DATABASE_POOL_MAX']) expect(stderr).toContain(name);
});

test('the process refuses with 78 to listen where anybody may call, until that is asked for', async () => {
  const { code, stderr } = await refusal({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/weir' });
  expect(code).toBe(78);
  expect(stderr).toContain('RPC_PLAIN=true');
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/weir', LOG_LEVEL: 'silent' };
  const child = fork(main, { env: { ...env, LISTEN_ADDRESS: '0.0.0.0:0', RPC_PLAIN: 'true' }, silent: true });
  const exited = once(child, 'exit');
  const [message] = (await once(child, 'message')) as [{ ready: boolean }];
  expect(message.ready).toBe(true);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
