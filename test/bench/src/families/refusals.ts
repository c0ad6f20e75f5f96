import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';

const loadMs = 3000;
const connections = 32;
const body = JSON.stringify({
  data: [
    {
      instrument_timestamp: '2026-01-01T00:00:00Z',
      instrument_name: 'logger',
      ingested_variables: [{ name: 'level', value: 1 }],
    },
  ],
});

/** What the way in costs: a request with a key that is none, against a handler of Node's that does nothing. */
export const refusals: Family = {
  name: 'refusals',
  ratios: [
    {
      id: 'E3',
      what: 'ingest requests refused for their key ÷ requests of a bare handler',
      goal: 0.4,
      stretch: 0.6,
      of: (r) => quotient(r['refused']?.['requestsPerSecond'], r['bare handler']?.['requestsPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const load = opening.use(new Load());
    const bare = createServer((req, res) => {
      req.resume();
      req.once('end', () => res.end('{}'));
    });
    bare.listen(0, '127.0.0.1');
    await once(bare, 'listening');
    opening.defer(() => {
      bare.closeAllConnections();
      bare.close();
    });
    const headers = { authorization: 'Bearer nobody', 'content-type': 'application/json' };
    const send = async (origin: string, status: number) => {
      const { requests, elapsedMs } = await load.run(
        { origin, path: '/v1/ingest', headers, body, connections, durationMs: loadMs },
        status,
      );
      return { requestsPerSecond: (requests / elapsedMs) * 1000 };
    };
    const bareOrigin = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
    const open = opening.move();
    return {
      trials: {
        refused: () => send(bench.origin, 401),
        'bare handler': () => send(bareOrigin, 200),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
