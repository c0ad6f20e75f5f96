import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { freePorts } from './free-port.js';

// claims of its own: by a clock of its own, those of stacks that start meanwhile would be expired
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'weir-claims-test-'));
  vi.stubEnv('TMPDIR', directory);
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

/** By chance alone, of 800 of these 12,000 ports some 26 pairs are the same. */
const many = async (): Promise<number[]> => (await Promise.all(Array.from({ length: 40 }, () => freePorts(20)))).flat();

test('no port is given twice before somebody can listen on it', async () => {
  const start = Date.now();
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let time = 0; time < 6; time += 1) {
    // claims of other times are there still, or expire at this moment
    vi.setSystemTime(start + time * 600_000);
    const ports = await many();
    expect(new Set(ports).size).toBe(800);
  }
});

test('a claim holds through the end of its time', async () => {
  const time = Math.floor(Date.now() / 600_000);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime((time + 20) * 600_000 - 1);
  const before = await many();
  vi.setSystemTime((time + 20) * 600_000);
  const after = await many();
  expect(new Set([...before, ...after]).size).toBe(1600);
});
