import { RunState } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { runStateNumbers, toRunStateWord } from './index.js';

test('each state that messages can have has a word, and the word its number', () => {
  const numbers = Object.values(RunState).filter((state) => typeof state === 'number' && state > 0);
  expect(numbers).toHaveLength(Object.keys(runStateNumbers).length);
  for (const number of numbers) expect(runStateNumbers[toRunStateWord(Number(number)) ?? 'queued']).toBe(number);
});

test('other numbers have none', () => {
  for (const number of [RunState.UNSPECIFIED, RunState.UNRECOGNIZED, 99])
    expect(toRunStateWord(number)).toBeUndefined();
});
