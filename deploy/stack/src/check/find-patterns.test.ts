import { expect, test } from 'vitest';
import { findPatterns } from './find-patterns.js';

test('finds literals and what RegExp makes, with their lines', () => {
  const text = [
    'const a = /[/"]+x/gu;',
    '// no /comment/',
    'const b = [new RegExp("a+$"), RegExp(`b`, "i")];',
    'const c = 4 / 2 / 1;',
  ].join('\n');
  expect(findPatterns('x.ts', text)).toEqual([
    { place: 'x.ts:1', source: '[/"]+x', flags: 'gu' },
    { place: 'x.ts:3', source: 'a+$', flags: '' },
    { place: 'x.ts:3', source: 'b', flags: 'i' },
  ]);
});

test('tells of one that is put together that it cannot be told', () => {
  const built = [{ place: 'x.ts:1', flags: '' }];
  expect(findPatterns('x.ts', 'new RegExp(`a${b}`)')).toEqual(built);
  expect(findPatterns('x.ts', 'new RegExp("a", flags)')).toEqual(built);
});
