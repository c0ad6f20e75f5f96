import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const programOf = (program: string): string[] => {
  const log = fileURLToPath(new URL('../../dist/log/index.js', import.meta.url));
  const text = `import { createLogger } from ${JSON.stringify(log)};
    const logs = ['one', 'two'].map((name) => createLogger(name, 'info'));
    ${program}`;
  return ['--input-type=module', '-e', text];
};

const messagesOf = (stdout: string): string[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);

const run = async (program: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, programOf(program)).catch(
    (failed: { stdout: string }) => failed,
  );
  return messagesOf(stdout);
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
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);`);
  expect(told).toEqual(['before', 'broken']);
});

test('so is one that comes while others are being written', async () => {
  const told = await run(`
    logs[0].error('broken');
    logs[0].error('broken as well');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 60);`);
  expect(told).toEqual(['broken', 'broken as well']);
});

test.each([
  ['a line', "logs[0].info('the end');"],
  ['an error and more', "logs[0].error('broken'); logs[0].fatal('broken for good'); logs[1].info('the end');"],
])('a process whose output nobody takes any more ends with %s left', async (_, words) => {
  const child = spawn(process.execPath, programOf(`process.stdin.once('data', () => { ${words} process.exit(3); });`), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  child.stdin.write('now');
  expect(await once(child, 'exit')).toEqual([3, null]);
});

test('a process ends whose output is not read, and has written what was taken', async () => {
  const child = spawn(
    process.execPath,
    programOf(`
      // makes it one that never blocks
      process.stdout.fd;
      for (let i = 0; i < 5000; i++) logs[0].info('line ' + i);
      setTimeout(() => process.exit(), 300);`),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  // a process that has ended is read to its end otherwise, whether anybody listens or not
  child.stdout.on('readable', () => undefined);
  expect(await once(child, 'exit')).toEqual([0, null]);
  const read = await child.stdout.setEncoding('utf8').toArray();
  const whole = read.join('').split('\n').slice(0, -1);
  expect(whole.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(whole.map((_, i) => `line ${i}`));
  expect(whole.length).toBeGreaterThan(100);
});
