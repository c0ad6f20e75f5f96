import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../log/index.js';
import { startReadiness } from './index.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('is ready from the first success until three failures in a row, and says why once', async () => {
  const told: unknown[] = [];
  const log = createLogger('test', 'silent');
  log.info = ((event: { ready: boolean }) => told.push(event.ready)) as never;
  log.warn = ((event: { err: Error }) => told.push(event.err.message)) as never;
  const changes: boolean[] = [];
  let isAway = true;
  const check = async () => {
    if (isAway) throw new Error('away');
  };
  const readiness = await startReadiness({ check, log, onChange: (isReady) => changes.push(isReady) });
  expect([readiness.isReady(), told]).toEqual([false, ['away']]);
  await vi.advanceTimersByTimeAsync(5000);
  expect([readiness.isReady(), told]).toEqual([false, ['away']]);

  isAway = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect([readiness.isReady(), told]).toEqual([true, ['away', true]]);
  isAway = true;
  await vi.advanceTimersByTimeAsync(2000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(1000);
  isAway = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect([readiness.isReady(), told]).toEqual([true, ['away', true]]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([readiness.isReady(), told]).toEqual([false, ['away', true, 'away', false]]);

  isAway = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(readiness.isReady()).toBe(true);
  await readiness[Symbol.asyncDispose]();
  expect([readiness.isReady(), changes]).toEqual([false, [true, false, true, false]]);
});

test('says it again where what it waits for becomes something else, and not each time', async () => {
  const told: string[] = [];
  const log = createLogger('test', 'silent');
  log.warn = ((event: { err: Error }) => told.push(event.err.message)) as never;
  let away = 'database';
  const check = () => Promise.reject(new Error(away));
  const readiness = await startReadiness({ check, log });
  await vi.advanceTimersByTimeAsync(2000);
  away = 'schema';
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual(['database', 'schema']);
  expect(readiness.whyNot()).toEqual(new Error('schema'));
  let round = 0;
  const flapping = await startReadiness({ check: () => Promise.reject(new Error(String(round++ % 2))), log });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.length).toBeLessThan(2 + 14);
  for (const one of [readiness, flapping]) await one[Symbol.asyncDispose]();
});
