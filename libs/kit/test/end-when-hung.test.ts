import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const kit = fileURLToPath(new URL('..', import.meta.url));
const afterMs = 2000;

/** A process that is watched, says that it is there, and hangs once it is told to. */
function start() {
  const script = `
    import { endWhenHung } from '@weir/kit/process';
    endWhenHung(${afterMs});
    process.stdin.once('data', () => { for (;;); });
    process.stdout.write('ready');
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: kit });
}

test('J6: a process that hangs is ended, and says so', async () => {
  const child = start();
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  child.stdin.write('hang');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await said).toMatch(/^the process hangs: .* 2000 ms/);
});

test('J5: a process that was frozen for longer goes on, and ends when it is told to', async () => {
  const child = start();
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  await delay(2 * afterMs);
  child.kill('SIGCONT');
  await delay(afterMs);
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});

test('what is watched ends by itself when it has nothing left to do', async () => {
  const child = start();
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
