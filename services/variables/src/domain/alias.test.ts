import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aliasDeriver, aliasFault } from './alias.js';

describe('aliasDeriver', () => {
  test.each([
    ['Temperature', 'Temperature'],
    ['Water level (m)', 'Water_level_m_'],
    ['a--b', 'a_b'],
    ['2m wind', 'v_2m_wind'],
    ['_x', '_x'],
    ['温度', '_'],
    ['mean', 'v'],
    ['pi', 'v'],
    ['and', 'v'],
    ['previous', 'v'],
    ['Mean', 'Mean'],
    ['', 'v'],
    ['x'.repeat(70), 'x'.repeat(64)],
    ['9'.repeat(70), `v_${'9'.repeat(62)}`],
  ])('makes %j %j', (name, alias) => {
    expect(aliasDeriver([])(name)).toBe(alias);
  });

  test('gives a taken one the first free suffix', () => {
    const derive = aliasDeriver(['T', 'T_3', 'v']);
    expect(['T', 'T', 'T', 'e', 'e'].map(derive)).toEqual(['T_2', 'T_4', 'T_5', 'v_2', 'v_3']);
  });

  test('cuts before the suffix', () => {
    const derive = aliasDeriver(['x'.repeat(64)]);
    expect(derive('x'.repeat(100))).toBe(`${'x'.repeat(62)}_2`);
  });

  test('stays quick for thousands of names that look alike', () => {
    const derive = aliasDeriver([]);
    const aliases = Array.from({ length: 20_000 }, () => derive('水'));
    expect(new Set(aliases).size).toBe(20_000);
    expect(aliases.at(-1)).toBe('__20000');
  });

  test('always gives legal aliases, all different', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[a-c0-1 _-]{0,70}$/),
      fc.constantFrom('e', 'pi', 'if', 'mean', 'v', 'v_2', '__2', '_'),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 40 }), fc.array(name), (names, taken) => {
        const derive = aliasDeriver(taken);
        const aliases = names.map(derive);
        for (const alias of aliases) expect(aliasFault(alias)).toBeUndefined();
        expect(new Set([...aliases, ...taken]).size).toBe(aliases.length + new Set(taken).size);
      }),
    );
  });

  test('keeps a name that is a free alias already', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), (name) => {
        fc.pre(aliasFault(name) === undefined);
        expect(aliasDeriver([])(name)).toBe(name);
      }),
    );
  });
});

describe('aliasFault', () => {
  test.each(['', '1a', 'a b', 'ä', 'a\n', 'x'.repeat(65), 'min', 'not', 'timestamp', 'e'])('refuses %j', (alias) => {
    expect(aliasFault(alias)).toBeTypeOf('string');
  });
});
