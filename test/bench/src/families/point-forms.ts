import { randomUUID } from 'node:crypto';
import { readPoints } from '@weir/gateway/read-points';
import { unpackPoints } from '@weir/points';
import { pointBodies } from '../point-bodies.js';
import { type Family, quotient, type Sample } from '../ratio.js';

const points = 1000;
const durationMs = 1500;

const texts = pointBodies({
  perRequest: points,
  variables: 1,
  instruments: 10,
  siteId: randomUUID(),
  instrumentPrefix: 'logger',
  first: 0,
  bodies: 20,
});

/** All that is done to a body on its way from the socket to the processor, but for the wire. */
function wholeWay(text: string): number {
  return unpackPoints(readPoints(JSON.parse(text), points).body).count;
}

async function timed(work: (text: string) => void): Promise<Sample> {
  let bodies = 0;
  const startedMs = performance.now();
  while (performance.now() - startedMs < durationMs) work(texts[bodies++ % texts.length] as string);
  return { bodiesPerSecond: (bodies / (performance.now() - startedMs)) * 1000 };
}

/** What checking and packing cost beside the parsing of JSON that nobody can spare. */
export const pointForms: Family = {
  name: 'the forms of points',
  ratios: [
    {
      id: 'E1',
      what: 'time to parse 1,000 points of JSON ÷ to parse, check, pack and unpack them',
      goal: 0.5,
      stretch: 0.65,
      of: (r) =>
        quotient(r['parsed, checked, packed, unpacked']?.['bodiesPerSecond'], r['parsed']?.['bodiesPerSecond']),
    },
  ],
  async open() {
    for (const text of texts) if (wholeWay(text) !== points) throw new Error('points were lost on the way');
    return {
      trials: {
        parsed: () => timed((text) => JSON.parse(text)),
        'parsed, checked, packed, unpacked': () => timed(wholeWay),
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
};
