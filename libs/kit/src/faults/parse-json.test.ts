import { expect, test } from 'vitest';
import { Faults, parseJson } from './index.js';

test('reads JSON, and says where there is none', () => {
  const faults = new Faults();
  expect(parseJson(' {"a": [1]} ', '/a', faults)).toEqual({ a: [1] });
  faults.throwIfAny();
  for (const text of ['', '{', 'undefined']) expect(parseJson(text, '/a', faults)).toBeUndefined();
  const detail = expect.objectContaining({ path: '/a', code: 'invalid_json' });
  expect(() => faults.throwIfAny()).toThrow(expect.objectContaining({ details: [detail, detail, detail] }));
});
