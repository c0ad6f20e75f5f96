import type { WeirError } from '@weir/kit/errors';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readPoints } from '../ingest/read-points.js';
import { readBody } from './body.js';
import { Faults } from './faults.js';
import { jsonExcess, jsonWeighedBytes } from './json-excess.js';
import type { Body } from './operation.js';

const excessOf = (text: string) => jsonExcess(Buffer.from(text))?.code;
const bodyOf = (read?: (json: unknown) => unknown): Body<unknown> => ({
  schema: z.strictObject({ metadata: z.record(z.string(), z.string()) }),
  bytesMax: 2 ** 24,
  gzip: true,
  example: {},
  ...(read && { read }),
});
/** Bodies as they are read: by a schema, and as points. */
const bodies = { schema: bodyOf(), points: bodyOf((json) => readPoints(json, 1000)) };

/** What is told of a body: places and codes. */
function faultsOf(text: string, body: Body<unknown>): string[] {
  const faults = new Faults();
  readBody(Buffer.from(text), body, faults);
  try {
    faults.throwIfAny();
    return [];
  } catch (error) {
    return (error as WeirError).details.map(({ path, code }) => `${path} ${code}`);
  }
}

const objectMembers = Object.getOwnPropertyNames(Object.prototype).sort();
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

  test.each(['schema', 'points'] as const)('and refused with what it has too much of: %s', (kind) => {
    const text = `{"metadata":${members(jsonWeighedBytes[kind] / 8)}}`;
    expect(faultsOf(text, bodies[kind])).toEqual([' too_complex']);
  });

  test.each<[string, string, told: string]>([
    ['arrays 100,000 deep', `{"data":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, ' too_deep'],
    ['objects 100,000 deep', `${'{"data":'.repeat(1e5)}1${'}'.repeat(1e5)}`, ' too_deep'],
    ['brackets that never close', '['.repeat(2.5e5), ' too_deep'],
    ['an object of a million members', members(1e6), ' too_complex'],
    ['__proto__ at each level', `${'{"__proto__":'.repeat(31)}{}${'}'.repeat(31)}`, '/__proto__ unknown_field'],
    ['constructor at each level', `${'{"constructor":'.repeat(31)}{}${'}'.repeat(31)}`, '/constructor unknown_field'],
    ['a number that overflows', '{"data":[{"a":1e400}]}', '/data/0/a out_of_range'],
  ])('takes no more than 50 ms of the processor: %s', (_, text, told) => {
    const toldSoon = (body: Body<unknown>): string[] => {
      let faults: string[] = [];
      const tookMs = Array.from({ length: 8 }, () => {
        const before = process.cpuUsage();
        faults = faultsOf(text, body);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      });
      expect(Math.min(...tookMs)).toBeLessThan(50);
      return faults;
    };
    expect(toldSoon(bodies.schema)).toContain(told);
    // points are read only as deep as they go
    expect(toldSoon(bodies.points)).not.toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(objectMembers);
  });

  test('members that name what every object has leave it as it is', () => {
    const hostile = '{"data":[],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    JSON.parse(hostile);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
