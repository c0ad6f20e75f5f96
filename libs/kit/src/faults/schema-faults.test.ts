import { expect, test } from 'vitest';
import { z } from 'zod';
import { WeirError } from '../errors/index.js';
import { Faults } from './faults.js';
import { addIssues } from './schema-faults.js';

function detailsOf(schema: z.ZodType, json: unknown): WeirError['details'] {
  const faults = new Faults();
  addIssues(schema.safeParse(json, { reportInput: true }).error?.issues ?? [], faults);
  try {
    faults.throwIfAny();
    return [];
  } catch (error) {
    if (error instanceof WeirError) return error.details;
    throw error;
  }
}

const faultsOf = (schema: z.ZodType, json: unknown): string[] =>
  detailsOf(schema, json).map(({ path, code }) => `${path} ${code}`);

const range = z.union([z.strictObject({ last: z.int() }), z.strictObject({ start: z.int(), end: z.int() })]);
const list = z.strictObject({ ids: z.array(z.string()) });
const one = z.strictObject({ id: z.string() });

test.each<[string, z.ZodType, unknown, string[]]>([
  ['nothing', z.strictObject({ a: z.string().optional() }), {}, []],
  ['a missing member', z.strictObject({ a: z.string() }), {}, ['/a required']],
  ['null', z.strictObject({ a: z.string() }), { a: null }, ['/a invalid_type']],
  ['a text too long', z.string().max(1), 'ab', [' too_long']],
  ['a text too short', z.string().min(1), '', [' too_short']],
  ['a number too large', z.number().max(1), 2, [' out_of_range']],
  ['an overflow', z.number(), Number.POSITIVE_INFINITY, [' out_of_range']],
  ['a fraction', z.int(), 1.5, [' invalid_type']],
  ['too many elements', z.array(z.number()).max(1), [1, 2], [' out_of_range']],
  ['no choice', z.enum(['a', 'b']), 'c', [' invalid_choice']],
  ['no pattern', z.string().regex(/^a$/), 'b', [' invalid_format']],
  ['a rule of its own', z.string().refine(() => false, { message: 'No.', params: { code: 'mine' } }), 'b', [' mine']],
  ['a key that is none', z.record(z.string().min(2), z.number()), { a: 1 }, ['/a too_short']],
  ['names with signs', z.strictObject({ 'a/b~': z.string() }), { 'a/b~': 1 }, ['/a~1b~0 invalid_type']],
  [
    'the nearest branch of a union',
    z.strictObject({
      u: z.union([z.strictObject({ x: z.number() }), z.strictObject({ y: z.string(), z: z.string() })]),
    }),
    { u: { x: 'a' } },
    ['/u/x invalid_type'],
  ],
  [
    'the branch of a union that knows what is given',
    range,
    { start: 'x', end: 'y' },
    ['/start invalid_type', '/end invalid_type'],
  ],
  ['the branch that knows it, of as many faults', range, { start: 'x' }, ['/start invalid_type', '/end required']],
  [
    'the branch that knows it, of more faults',
    z.union([list, one]),
    { ids: [1, 2, 3] },
    ['/ids/0 invalid_type', '/ids/1 invalid_type', '/ids/2 invalid_type'],
  ],
  ['the branch of the fewest faults, when none knows more', range, { last: 1, start: 'x' }, ['/start unknown_field']],
  ['a union, of nothing', range, {}, [' required']],
  [
    'no branch of a union that is told apart',
    z.discriminatedUnion('t', [z.strictObject({ t: z.literal('a') }), z.strictObject({ t: z.literal('b') })]),
    { t: 'c' },
    ['/t invalid_choice'],
  ],
])('%s', (_, schema, json, expected) => {
  expect(faultsOf(schema, json)).toEqual(expected);
});

test.each<[string, z.ZodType, number, string]>([
  ['above its maximum', z.int().max(10), 11, 'Give at most 10.'],
  ['above it and above 2^53', z.int().max(10), 1e300, 'Give at most 10.'],
  ['below it and below -2^53', z.int().min(1), -1e300, 'Give at least 1.'],
  ['above 2^53, with no maximum', z.int(), 1e300, `Give at most ${Number.MAX_SAFE_INTEGER}.`],
])('an integer %s: one fault, which says the bound that holds', (_, schema, json, message) => {
  expect(detailsOf(z.strictObject({ n: schema }), { n: json })).toEqual([
    { path: '/n', code: 'out_of_range', message },
  ]);
  expect(detailsOf(z.strictObject({ a: z.int().max(5), n: schema }), { a: 1e300, n: json })).toHaveLength(2);
});

test.each<[string, z.ZodType, unknown, string]>([
  ['nothing', range, {}, 'Give last, or start and end.'],
  ['nothing in a member', z.strictObject({ range }), { range: {} }, 'Give last, or start and end.'],
])('of branches that miss all, given %s, each is told', (_, schema, json, message) => {
  const path = schema === range ? '' : '/range';
  expect(detailsOf(schema, json)).toEqual([{ path, code: 'required', message }]);
});

test('a format is told in the words of its schema', () => {
  const schema = z.string().regex(/^#[0-9a-f]{6}$/, 'Give a colour.');
  expect(detailsOf(schema, 'red')).toEqual([{ path: '', code: 'invalid_format', message: 'Give a colour.' }]);
});
