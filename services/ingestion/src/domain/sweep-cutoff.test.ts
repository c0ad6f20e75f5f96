import { expect, test } from 'vitest';
import { sweepCutoffMs } from './sweep-cutoff.js';

const ages = { afterMs: 10, againMs: 300 };

test.each([
  ['an empty place has lost all that is mature', undefined, 990],
  ['what is not much older than the oldest message may be in the stream', 600, 700],
  ['an old message does not keep what waits too long', 100, 700],
  ['a young message changes nothing', 999, 989],
  ['what is much older than the oldest message is lost', 900, 890],
])('%s', (_, oldestMs, cutoffMs) => {
  expect(sweepCutoffMs(1000, oldestMs, ages)).toBe(cutoffMs);
});
