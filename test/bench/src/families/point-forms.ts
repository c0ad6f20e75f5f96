import { randomUUID } from 'node:crypto';
import { readPoints } from '@weir/gateway/read-points';
import { unpackPoints } from '@weir/points';
import { pointBodies } from '../point-bodies.js';
import { type Family, quotient, type Sample } from '../ratio.js';

const points = 1000;
const durationMs = 3000;
const sliceMs = 100;

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

/** Milliseconds that each way takes for a body: in turn, a tenth of a second at a time, since a processor keeps no speed for long. */
async function timed(): Promise<Sample> {
  const spentMs = { parsed: 0, whole: 0 };
  const bodies = { parsed: 0, whole: 0 };
  const ways = { parsed: (text: string) => JSON.parse(text), whole: wholeWay };
  for (let lap = 0; spentMs.parsed + spentMs.whole < durationMs; lap++) {
    for (const way of lap % 2 === 0 ? (['parsed', 'whole'] as const) : (['whole', 'parsed'] as const)) {
      const beganMs = performance.now();
      let elapsedMs = 0;
      for (; elapsedMs < sliceMs; elapsedMs = performance.now() - beganMs)
        ways[way](texts[bodies[way]++ % texts.length] as string);
      spentMs[way] += elapsedMs;
    }
  }
  return { parsedMs: spentMs.parsed / bodies.parsed, wholeMs: spentMs.whole / bodies.whole };
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
      of: (r) => quotient(r['in turn']?.['parsedMs'], r['in turn']?.['wholeMs']),
    },
  ],
  async open() {
    for (const text of texts) if (wholeWay(text) !== points) throw new Error('points were lost on the way');
    return {
      trials: { 'in turn': timed },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
};
