import { describe, expect, test } from 'vitest';
import { readBody } from './body.js';
import { Faults } from './faults.js';
import { jsonExcess, jsonWeighedBytes } from './json-excess.js';

const excessOf = (text: string) => jsonExcess(Buffer.from(text))?.code;
const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"m${n}":1`).join()}}`;

describe('S12: a body is weighed before it is parsed', () => {
  test.each([
    ['a tree of 32', `${'['.repeat(32)}${']'.repeat(32)}`, undefined],
    ['a tree of 33', `${'[{"a":'.repeat(16)}[${']'.repeat(33)}`, 'too_deep'],
    ['brackets that never close', '['.repeat(1e5), 'too_deep'],
    ['brackets in a string', `["${'['.repeat(1e5)}\\"${'{'.repeat(1e5)}"]`, undefined],
    ['a million empty objects', `[${'{},'.repeat(1e6)}{}]`, 'too_complex'],
    ['a million numbers', `[${'1,'.repeat(1e6)}1]`, undefined],
    ['more than a million numbers', `[${'1,'.repeat(1e6 + 1)}1]`, 'too_complex'],
    ['an object of 1,000 members', members(1000), undefined],
    ['an object of a million members', members(1e6), 'too_complex'],
    ['objects of 999 commas in all', `[${Array.from({ length: 3 }, () => members(900)).join()}]`, undefined],
    ['what is no JSON', ']]]{{{', undefined],
    ['a string without an end', '"\\', undefined],
  ])('%s', (_, text, code) => {
    expect(excessOf(text)).toBe(code);
  });

  test('and refused with what it has too much of', () => {
    const faults = new Faults();
    const bytes = Buffer.from(`{"data":[${'{},'.repeat(jsonWeighedBytes / 3)}{}]}`);
    const body = {
      schema: undefined as never,
      bytesMax: bytes.length,
      gzip: true,
      example: {},
      read: (json: unknown) => json,
    };
    expect(readBody(bytes, body, faults)).toBeUndefined();
    expect(() => faults.throwIfAny()).toThrowError(expect.objectContaining({ code: 'invalid_request' }));
  });

  test('members that name what every object has leave it as it is', () => {
    const hostile = '{"data":[],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    JSON.parse(hostile);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
