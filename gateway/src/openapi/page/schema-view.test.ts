import { expect, test } from 'vitest';
import { boundsOf, schemaView, typeOf } from './schema-view.js';

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const text = { type: 'string' };

test('shows each alternative with its members, by its title, its constant or what only it has', () => {
  const a = object({ kind: { const: 'a' }, x: text });
  const b = object({ kind: { const: 'b' } });
  const { text: view } = schemaView(
    { type: 'array', items: { oneOf: [a, { $ref: '#/components/schemas/B' }] } },
    { B: b },
  );
  expect(view).toContain('one of:');
  expect(view).toMatch(
    /<summary>kind: &quot;a&quot;<\/summary><ul class="members">.*>x<.*<summary>kind: &quot;b&quot;</,
  );
  const titled = { anyOf: [object({ x: text }, { title: 'By `x`' }), object({ y: text, z: text })] };
  expect(schemaView(titled, {}).text).toMatch(/<summary>By <code>x<\/code><\/summary>.*<summary>with y, z<\/summary>/);
});

test('shows what may be null as what it is, and a choice within a choice as one', () => {
  const range = { anyOf: [object({ x: text }, { title: 'One' }), object({ y: text }, { title: 'Two' })] };
  const { text: view } = schemaView(object({ range: { anyOf: [range, { type: 'null' }] } }), {});
  expect(view).toContain('object or null');
  expect(view).toMatch(/<summary>One<.*<summary>Two</);
  expect(schemaView({ anyOf: [object({ x: text }), { type: 'null' }] }, {}).text).not.toContain('one of:');
  expect(boundsOf({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }, {})).toEqual(['at least 1']);
});

test('says what bounds the elements of a list', () => {
  const list = { type: 'array', minItems: 2, items: { type: 'string', enum: ['mean', 'max'], maxLength: 4 } };
  expect(typeOf(list, {})).toBe('list of string');
  expect(boundsOf(list, {})).toEqual(['at least 2 elements', 'each one of "mean", "max"', 'each at most 4 characters']);
});

test('shows a short pattern, and leaves a long one to the description', () => {
  expect(boundsOf({ type: 'string', pattern: '^[a-z]+$' }, {})).toEqual(['matching ^[a-z]+$']);
  expect(boundsOf({ type: 'string', pattern: `^[${'\\u00a0'.repeat(20)}]+$` }, {})).toEqual([]);
});

test('ends where a schema holds itself', () => {
  const named = { Tree: object({ left: { $ref: '#/components/schemas/Tree' } }) };
  expect(schemaView({ $ref: '#/components/schemas/Tree' }, named).text.split('left').length).toBeLessThan(20);
});
