import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = async (program: string): Promise<string[]> => {
  const log = fileURLToPath(new URL('../../dist/log/index.js', import.meta.url));
  const text = `import { createLogger } from ${JSON.stringify(log)};
    const logs = ['one', 'two'].map((name) => createLogger(name, 'info'));
    ${program}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text]);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
};

test.each([
  ['has nothing to do any more', ''],
  ['exits', 'process.exit();'],
  ['exits amid work', 'setInterval(() => undefined, 1000); setTimeout(() => process.exit(), 10);'],
])('a process that %s has written every line of every log', async (_, end) => {
  const told = await run(`for (let i = 0; i < 300; i++) for (const log of logs) log.info('line ' + i); ${end}`);
  expect(told).toHaveLength(600);
  expect(new Set(told).size).toBe(300);
});

test('a process that says a word when it ends has said it once, and ends', async () => {
  const told = await run("process.on('beforeExit', () => logs[0].info('the end')); logs[1].info('begun');");
  expect(told.sort()).toEqual(['begun', 'the end']);
});

test('an error is written at once, with the lines before it', async () => {
  const told = await run(`
    logs[0].info('before');
    logs[0].error('broken');
    logs[0].info('after');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);`).catch(({ stdout }: { stdout: string }) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg),
  );
  expect(told).toEqual(['before', 'broken']);
});
