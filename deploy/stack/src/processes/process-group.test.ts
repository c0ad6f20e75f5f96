import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcessGroup } from './process-group.js';
import type { ProcessSpec } from './run-process.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'weir-group-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** A process of ours that says it is ready, and ends with `code` when asked to stop. */
const ready = (code = 0): string =>
  `process.on('SIGINT', () => process.exit(${code})); process.send({ ready: true, address: 'here:1' }); process.on('disconnect', () => process.exit())`;

function spec(name: string, script: string): ProcessSpec {
  return {
    name,
    command: process.execPath,
    args: ['-e', script],
    env: {},
    logFile: join(directory, `${name}.log`),
    recordDirectory: directory,
  };
}

test('starts, kills, starts again and stops', async () => {
  const group = createProcessGroup();
  await group.addAll([spec('one', ready()), spec('two', ready())]);
  expect(group.processes.map(({ name, address }) => [name, address])).toEqual([
    ['one', 'here:1'],
    ['two', 'here:1'],
  ]);
  const { pid } = group.process('one');
  await group.kill('one');
  const again = await group.restart('one');
  expect(again.pid).not.toBe(pid);
  await group[Symbol.asyncDispose]();
  expect(await again.exited).toEqual({ code: 0, signal: null });
});

test('a process that ends by itself is told at once and when the group ends', async () => {
  let told: (name: string) => void;
  const ended = new Promise<string>((resolve) => {
    told = resolve;
  });
  const group = createProcessGroup((_, name) => told(name));
  await group.addAll([spec('weak', `${ready()}; setTimeout(() => Promise.reject(new Error('too weak')), 1)`)]);
  expect(await ended).toBe('weak');
  await expect(group[Symbol.asyncDispose]()).rejects.toThrow(/weak ended with exit code 1:[^]*too weak/);
});

test('a process that does not stop cleanly fails the end of its group', async () => {
  const group = createProcessGroup();
  await group.addAll([spec('unclean', ready(3))]);
  await expect(group[Symbol.asyncDispose]()).rejects.toThrow('unclean ended with exit code 3');
});

test('when one cannot start, the others are stopped and its log is told', async () => {
  const group = createProcessGroup();
  const good = spec('good', ready());
  const adding = group.addAll([good, spec('bad', `process.stderr.write('no such luck'); process.exit(78)`)]);
  await expect(adding).rejects.toThrow(/bad ended with exit code 78[^]*no such luck/);
  expect(await group.process('good').exited).toEqual({ code: 0, signal: null });
});
