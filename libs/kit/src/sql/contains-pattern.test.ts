import { expect, test } from 'vitest';
import { containsPattern } from './index.js';

test.each([
  ['', null],
  ['Level', '%Level%'],
  ['100%_\\', '%100\\%\\_\\\\%'],
  ['Cafe\u0301', '%Caf\u00e9%'],
])('of %j is %j', (part, pattern) => {
  expect(containsPattern(part)).toBe(pattern);
});
