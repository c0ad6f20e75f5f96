import { PointsPacker } from '@weir/points';

/** Packs `count` points of one instrument, a second apart, each with a value of every variable. */
export function packedPoints(
  count: number,
  options: { instrument?: string; variables?: readonly string[] } = {},
): Buffer {
  const { instrument = 'Alder Weir', variables = ['Stage'] } = options;
  const packer = new PointsPacker();
  for (let i = 0; i < count; i++) {
    packer.beginPoint(1_700_000_000_000_000 + i * 1_000_000, undefined, instrument);
    variables.forEach((variable, j) => packer.addValue(variable, i + j / 10));
  }
  return Buffer.from(packer.pack());
}
