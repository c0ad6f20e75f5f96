import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFaultOffset, jsonSearchedMax } from './json-place.js';

test.each<[string, number]>([
  ['', 0],
  ['{"a": nope}', 6],
  ['{"a":1', 6],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{a:1}', 1],
  ["{'a':1}", 1],
  ['[1}', 2],
  ['{} x', 3],
  ['1 2', 2],
  ['{"a":01}', 6],
  ['["a\nb"]', 1],
  ['["\\x"]', 1],
  ['[NaN]', 1],
  ['[1]]', 3],
])('%s breaks at %i', (text, offset) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(jsonFaultOffset(text)).toBe(offset);
});

test('what JSON.parse accepts, it reads to the end; what is cut off, too', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, cut) => {
      expect(jsonFaultOffset(json)).toBe(json.length);
      const part = json.slice(0, cut % (json.length + 1));
      expect(jsonFaultOffset(part)).toBeLessThanOrEqual(part.length);
    }),
  );
});

test('a fault that is far away is not looked for, one in a token that reaches so far is found', () => {
  expect(jsonFaultOffset('['.repeat(jsonSearchedMax * 2))).toBeUndefined();
  expect(jsonFaultOffset(`["${'a'.repeat(jsonSearchedMax * 2)}"`)).toBeUndefined();
  expect(jsonFaultOffset(`{"${'a'.repeat(jsonSearchedMax * 2)}`)).toBe(1);
  expect(jsonFaultOffset(`${'['.repeat(1000)}}${'['.repeat(jsonSearchedMax * 2)}`)).toBe(1000);
});

test('a long text without an end takes no time', () => {
  const text = `["${'a\\n'.repeat(300_000)}`;
  const started = performance.now();
  expect(jsonFaultOffset(text)).toBe(1);
  expect(performance.now() - started).toBeLessThan(500);
});
