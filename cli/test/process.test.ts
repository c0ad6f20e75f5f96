import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { root, weir } from './weir.js';

test('the shell learns the exit code', async () => {
  expect(await weir(['--version'], {})).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9.]+\n$/) });
  expect((await weir(['frobnicate'], {})).code).toBe(2);
  expect((await weir(['organizations', 'list'], {})).code).toBe(78);
});

test('a pipe that closes early is no failure', async () => {
  const child = spawn(process.execPath, [`${root}/cli/dist/main.js`, 'keys', 'create', '--help'], {
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
