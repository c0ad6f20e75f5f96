import { runId } from '@weir/kit/ids';
import { expect, test } from 'vitest';
import { admissionJson } from './admission-json.js';

const batchId = '01920000-0000-7000-8000-00000000a400';

test('a new batch has all its runs queued', () => {
  const json = JSON.parse(
    admissionJson({ batchId, count: 1000, replayed: false, states: Buffer.alloc(0), untold: '' }),
  );
  expect(json.replayed).toBe(false);
  expect(json.runs).toHaveLength(1000);
  expect(json.runs[999]).toEqual({ run_id: runId(batchId, 999), state: 'queued' });
});

test('a replay tells present states', () => {
  const json = JSON.parse(
    admissionJson({ batchId, count: 4, replayed: true, states: Buffer.from([1, 2, 3, 4]), untold: '' }),
  );
  expect(json.replayed).toBe(true);
  expect(json.runs.map((run: { state: string }) => run.state)).toEqual([
    'queued',
    'succeeded',
    'partially_succeeded',
    'failed',
  ]);
});
