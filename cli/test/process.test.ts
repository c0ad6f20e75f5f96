import { execFile, spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { openPool, sql } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { startedAccess } from './started-access.js';
import { type Finished, root } from './weir.js';

const main = join(root, 'cli/dist/main.js');

function weir(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Finished> {
  return new Promise((done) => {
    execFile(process.execPath, [main, ...args], { env: { ...env } }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('the shell learns the exit code', async () => {
  expect(await weir(['--version'], {})).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9.]+\n$/) });
  expect((await weir(['frobnicate'], {})).code).toBe(2);
  expect((await weir(['organizations', 'list'], {})).code).toBe(78);
  expect((await weir(['organizations', 'list'], { ACCESS_ADDRESS: '127.0.0.1:1' })).code).toBe(1);
});

test('a change is the work of the person who runs it, and the process ends by itself', async () => {
  await using access = await startedAccess();
  const { code, stdout, stderr } = await weir(['organizations', 'create', 'Hydrology', '--json'], access.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Hydrology' });
  await using pool = openPool({ url: access.databaseUrl, max: 1 });
  const { rows } = await pool.query(sql`select created_by from access.organizations`);
  expect(rows).toEqual([{ created_by: { type: 'user', id: userInfo().username } }]);
});

test.each([
  ['full', '2>/dev/full'],
  ['a pipe that nobody reads', '2> >(exec true)'],
])('the shell learns the exit code, though stderr is %s', async (_, redirection) => {
  const codeOf = async (...typed: string[]) =>
    await new Promise((done) => {
      const script = `exec "$@" ${redirection}`;
      execFile('bash', ['-c', script, 'bash', process.execPath, main, ...typed], { env: {} }, (error) =>
        done(error === null ? 0 : error.code),
      );
    });
  expect(await codeOf('frobnicate')).toBe(2);
  expect(await codeOf('organizations', 'list')).toBe(78);
});

test('a pipe that closes early is no failure', async () => {
  const child = spawn(process.execPath, [main, 'keys', 'create', '--help'], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
