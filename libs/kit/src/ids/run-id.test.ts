import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRunId, runId, runIds } from './run-id.js';

test('puts the index into the last ten bits', () => {
  expect(runId('01920000-0000-7000-8000-00000000a400', 0)).toBe('01920000-0000-7000-8000-00000000a400');
  expect(runId('01920000-0000-7000-8000-00000000a400', 1023)).toBe('01920000-0000-7000-8000-00000000a7ff');
});

test('a run id tells its batch and index', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), fc.nat(1023), (id, index) => {
      const { batchId } = parseRunId(id);
      expect(parseRunId(runIds(batchId)(index))).toEqual({ batchId, index });
    }),
  );
});
