import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimProcess, findProcess, findProcesses, recordProcess, releaseProcess } from './process-record.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'weir-record-'));
});
afterEach(() => rm(directory, { recursive: true }));

const file = (): string => join(directory, 'part.process.json');

test('finds a process that was recorded', async () => {
  await recordProcess(directory, 'part', process.pid);
  expect(await findProcess(directory, 'part')).toEqual({ name: 'part', pid: process.pid });
  expect(await findProcesses(directory)).toEqual([{ name: 'part', pid: process.pid }]);
});

test.each([
  { what: 'that started at another time', change: { startedAt: 'long ago' } },
  { what: 'of another checkout', change: { directory: '/elsewhere' } },
  { what: 'that has ended', change: { pid: 2 ** 22 + 1 } },
])('does not find a process $what, and forgets it', async ({ change }) => {
  await recordProcess(directory, 'part', process.pid);
  const record = JSON.parse(await readFile(file(), 'utf8')) as object;
  await writeFile(file(), JSON.stringify({ ...record, ...change }));
  expect(await findProcess(directory, 'part')).toBeUndefined();
  await expect(readFile(file())).rejects.toThrow('ENOENT');
});

test('a record that was cut off is no process', async () => {
  await writeFile(file(), '{ "pid": 1');
  expect(await findProcesses(directory)).toEqual([]);
});

test('a process is found while it is recorded again', async () => {
  await recordProcess(directory, 'part', process.pid);
  let isRecording = true;
  const recording = (async () => {
    for (let i = 0; i < 300; i++) await recordProcess(directory, 'part', process.pid);
    isRecording = false;
  })();
  while (isRecording) expect(await findProcesses(directory)).toHaveLength(1);
  await recording;
});

test('a name is claimed by one process at a time', async () => {
  expect(await claimProcess(directory, 'part')).toBe(true);
  expect(await claimProcess(directory, 'part')).toBe(false);
  await releaseProcess(directory, 'part');
  expect(await claimProcess(directory, 'part')).toBe(true);
  expect(await findProcesses(directory)).toHaveLength(1);
});
