import { PointsPacker } from '@weir/points';
import { describe, expect, test } from 'vitest';
import { countPoints } from './count-points.js';

function packed(points: readonly (readonly string[])[]): Uint8Array {
  const packer = new PointsPacker();
  for (const [instrument = '', ...variables] of points) {
    packer.beginPoint(1, undefined, instrument);
    for (const variable of variables) packer.addValue(variable, 1);
  }
  return packer.pack();
}

/** A packed body with one word of its header's followers changed. */
function altered(body: Uint8Array, offset: number, value: number): Uint8Array {
  const copy = Uint8Array.from(body);
  new DataView(copy.buffer).setUint32(offset, value, true);
  return copy;
}

describe('countPoints', () => {
  test('counts what can be read from end to end', () => {
    expect(countPoints(packed([['A', 'x']]))).toEqual({ count: 1 });
    expect(countPoints(packed(Array.from({ length: 1000 }, () => ['A', 'x', 'y'])))).toEqual({ count: 1000 });
  });

  test.each([
    ['no points', packed([]), /1 to 1000/],
    ['too many points', packed(Array.from({ length: 1001 }, () => ['A', 'x'])), /not 1001/],
    ['other bytes', new Uint8Array(40), /magic/],
    ['a point without a value', packed([['A', 'x'], ['A']]), /point 1 has none/],
  ])('refuses %s', (_, body, fault) => {
    expect(countPoints(body)).toEqual({ fault: expect.stringMatching(fault) });
  });

  test('refuses points of which the values lie about their order or instrument', () => {
    const body = packed([
      ['A', 'x', 'y'],
      ['B', 'x', 'y'],
    ]);
    // two instants and four values lie before the first value of each point and the channel of each value
    const starts = 24 + 2 * 8 + 4 * 8;
    expect(countPoints(altered(body, starts, 1))).toHaveProperty('fault');
    expect(countPoints(altered(body, starts + 4, 5))).toHaveProperty('fault');
    expect(countPoints(altered(body, starts + 12 + 4, 2))).toEqual({ fault: expect.stringMatching(/two/) });
  });
});
