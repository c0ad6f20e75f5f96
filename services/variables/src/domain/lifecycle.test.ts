import { expect, test } from 'vitest';
import { requireCalculated } from './lifecycle.js';

test('only a calculated variable is computed, and another is told what it is', () => {
  expect(() => requireCalculated({ variableType: 'calculated' }, 'path/variable_id')).not.toThrow();
  expect(() => requireCalculated({ variableType: 'ingested' }, 'path/variable_id')).toThrow(
    'Only calculated variables are computed, and this one is ingested; name a calculated one.',
  );
});
