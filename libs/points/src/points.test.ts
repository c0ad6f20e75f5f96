import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PackedPointsError, PointsPacker, packedCount, unpackPoints } from './index.js';

interface Point {
  readonly instantUs: number;
  readonly siteId: string | undefined;
  readonly instrumentName: string;
  readonly values: readonly (readonly [string, number])[];
}

function pack(points: readonly Point[]): Uint8Array {
  const packer = new PointsPacker();
  for (const point of points) {
    packer.beginPoint(point.instantUs, point.siteId, point.instrumentName);
    for (const [name, value] of point.values) packer.addValue(name, value);
  }
  return packer.pack();
}

function unpack(body: Uint8Array): Point[] {
  const points = unpackPoints(body);
  return Array.from({ length: points.count }, (_, i) => {
    const indexes = Array.from(
      { length: (points.valueStarts[i + 1] as number) - (points.valueStarts[i] as number) },
      (_unused, j) => (points.valueStarts[i] as number) + j,
    );
    const channel = points.channels[points.valueChannels[indexes[0] as number] as number];
    return {
      instantUs: points.instantsUs[i] as number,
      siteId: channel?.siteId,
      instrumentName: channel?.instrumentName ?? '',
      values: indexes.map(
        (j) =>
          [points.channels[points.valueChannels[j] as number]?.variableName ?? '', points.values[j] as number] as const,
      ),
    };
  });
}

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const point = fc.record({
  instantUs: fc.maxSafeInteger(),
  siteId: fc.option(name, { nil: undefined }),
  instrumentName: name,
  values: fc.uniqueArray(fc.tuple(name, fc.double({ noNaN: true })), {
    minLength: 1,
    maxLength: 5,
    selector: ([n]) => n,
  }),
});

describe('packed points', () => {
  test('hold as many points and values as there are, and nothing of the batch before', () => {
    const many = Array.from({ length: 2500 }, (_, i) => ({
      instantUs: i,
      siteId: i % 2 === 0 ? undefined : 'site',
      instrumentName: `logger ${i % 3}`,
      values: [['a', i] as const, ['b', -i] as const],
    }));
    for (const points of [many, many.slice(0, 3), many]) expect(unpack(pack(points))).toEqual(points);
  });

  test('of two that are packed at the same time do not mix', () => {
    const [one, other] = [new PointsPacker(), new PointsPacker()];
    one.beginPoint(1, undefined, 'a');
    other.beginPoint(2, undefined, 'b');
    one.addValue('x', 10);
    other.addValue('y', 20);
    const bodies = [one.pack(), other.pack()];
    expect(bodies.map((body) => unpack(body))).toEqual([
      [{ instantUs: 1, siteId: undefined, instrumentName: 'a', values: [['x', 10]] }],
      [{ instantUs: 2, siteId: undefined, instrumentName: 'b', values: [['y', 20]] }],
    ]);
  });

  test('unpack to what was packed, whatever the alignment of the bytes', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), fc.nat(8), (points, shift) => {
        const body = pack(points);
        const moved = new Uint8Array(body.length + shift);
        moved.set(body, shift);
        expect(unpack(moved.subarray(shift))).toEqual(points);
        expect(packedCount(moved.subarray(shift))).toBe(points.length);
      }),
    );
  });

  test('refuse bytes that are not theirs', () => {
    const body = pack([{ instantUs: 1, siteId: undefined, instrumentName: 'A', values: [['v', 1]] }]);
    expect(() => unpackPoints(body.subarray(0, body.length - 1))).toThrow(PackedPointsError);
    expect(() => unpackPoints(new Uint8Array(3))).toThrow(PackedPointsError);
    expect(() => unpackPoints(new Uint8Array(64))).toThrow(/magic/);
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.nat(255), (at, byte) => {
        const altered = Uint8Array.from(body);
        altered[at] = byte;
        try {
          unpackPoints(altered);
        } catch (error) {
          expect(error).toBeInstanceOf(PackedPointsError);
        }
      }),
    );
  });

  test('version 1 stays readable: the golden file', () => {
    const golden = readFileSync(new URL('../test/golden/points-v1.bin', import.meta.url));
    const points: Point[] = [
      {
        instantUs: 1677931200000000,
        siteId: undefined,
        instrumentName: 'Alder_Weir',
        values: [
          ['BattV_Min', 12.71],
          ['Température', -3.412],
        ],
      },
      {
        instantUs: -1,
        siteId: '018f0000-0000-7000-8000-000000000000',
        instrumentName: 'Alder_Weir',
        values: [['BattV_Min', 0]],
      },
    ];
    expect(unpack(golden)).toEqual(points);
    expect(Buffer.from(pack(points)).equals(golden)).toBe(true);
  });
});
