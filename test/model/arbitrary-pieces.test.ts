import { check, type ExpressionInput, parse, print } from '@weir/expression';
import { expect, test } from 'vitest';
import { anyPiece, type Readable } from './arbitrary-pieces.js';
import { choicesOf } from './choices.js';

const readable: readonly Readable[] = [
  { key: 'v1', alias: 'a', kind: 'self_variable' },
  { key: 'v2', alias: 'b', kind: 'self_variable' },
  { key: 'v3', alias: 'a', kind: 'instrument_variable' },
  { key: 'v4', alias: 'c', kind: 'instrument_variable' },
  { key: 'k1', alias: 'k', kind: 'constant' },
];

test('any calculation that is generated is one without faults, and a seed gives the same again', () => {
  for (let seed = 0; seed < 200; seed++) {
    const piece = anyPiece(choicesOf(seed), readable, 0);
    const text = print(piece.expression);
    expect(print(anyPiece(choicesOf(seed), readable, 0).expression)).toBe(text);
    expect(print(parse(text).syntax ?? piece.expression)).toBe(text);
    const inputs = piece.inputs.map(
      ({ id, kind, of, bufferS }): ExpressionInput => ({
        id,
        kind,
        alias: readable.find(({ key }) => key === of)?.alias ?? '',
        isWindowed: bufferS !== undefined,
      }),
    );
    expect(check(text, inputs).faults, text).toEqual([]);
  }
});
