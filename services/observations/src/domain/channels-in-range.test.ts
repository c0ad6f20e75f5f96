import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { expect, test } from 'vitest';
import { askedChannels } from './channels-in-range.js';
import type { Resolution } from './resolution.js';

const channels = ['a', 'b', 'c', 'd'].map((variableName) => ({ siteId: undefined, instrumentName: 'I', variableName }));

/** Points with values of these channels, by their instants. */
function pointsOf(...each: readonly [instantUs: number, ...channels: number[]][]) {
  let start = 0;
  return {
    count: each.length,
    channels,
    instantsUs: Float64Array.from(each, ([instantUs]) => instantUs),
    valueStarts: Uint32Array.of(0, ...each.map(([, ...own]) => (start += own.length))),
    valueChannels: Uint32Array.from(each.flatMap(([, ...own]) => own)),
    values: new Float64Array(start),
  };
}
const found = (code: 'variable_archived' | 'variable_not_found'): Resolution => ({ kind: 'no_variable', code });

test('channels of points that may be stored are asked for, and all others are out of range', () => {
  const points = pointsOf([10, 1, 3], [11, 0, 1], [observationInstantMinUs - 1, 2], [10, 3]);
  const asked = askedChannels({ points, indexes: [], tried: new Map(), instantMaxUs: 10 });
  expect(asked.channels.map(({ variableName }) => variableName)).toEqual(['b', 'd']);
  const outOfRange = { kind: 'no_instrument', code: 'timestamp_out_of_range' };
  const [one, two] = [found('variable_archived'), found('variable_not_found')];
  expect(asked.ofAll([one, two])).toEqual([outOfRange, one, outOfRange, two]);
});

test('channels of points that are not to be stored now are not asked for', () => {
  const points = pointsOf([10, 0, 1], [10, 1, 2], [11, 3], [10, 3]);
  const asked = askedChannels({ points, indexes: [1, 2, 7], tried: new Map(), instantMaxUs: 10 });
  expect(asked.channels.map(({ variableName }) => variableName)).toEqual(['b', 'c']);
});

test('channels of values that are stored already are not asked for', () => {
  const points = pointsOf([10, 0, 1, 2], [10, 3]);
  const asked = askedChannels({ points, indexes: [0], tried: new Map([[0, new Set([0, 2])]]), instantMaxUs: 10 });
  expect(asked.channels.map(({ variableName }) => variableName)).toEqual(['a', 'c']);
});

test('no point may lie in 2250, however far in the future it may be', () => {
  const asked = askedChannels({
    points: pointsOf([observationInstantEndUs, 0]),
    indexes: [],
    tried: new Map(),
    instantMaxUs: observationInstantEndUs,
  });
  expect(asked.channels).toEqual([]);
});

test('all channels are asked for as they are where all points may be stored', () => {
  const points = pointsOf([10, 0, 1, 2, 3]);
  const asked = askedChannels({ points, indexes: [], tried: new Map(), instantMaxUs: 10 });
  const resolutions = channels.map(() => found('variable_archived'));
  expect([asked.channels, asked.ofAll(resolutions)]).toEqual([channels, resolutions]);
  expect(asked.channels).toBe(channels);
});
