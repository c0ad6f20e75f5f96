import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { loneWarmUp, WriteLoad } from '../write-load.js';

const send = { perRequest: 1, variables: 1, connections: 32, durationMs: 8000, bodies: 40_000 };

/** A collector that takes all and looks at nothing: what it does with it is not ours to measure. */
async function startCollector(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What traces cost where they cost most: requests of one point, with telemetry as it is by default and without. */
export const telemetry: Family = {
  name: 'telemetry',
  ratios: [
    {
      id: 'O8',
      what: 'requests of 1 point accepted, 32 at once, traced by default ÷ untraced',
      goal: 0.8,
      stretch: 0.95,
      of: (r) => quotient(r['traced']?.['requestsPerSecond'], r['untraced']?.['requestsPerSecond']),
    },
    {
      id: 'O4',
      what: 'the same, with a collector that is away ÷ with one that answers',
      goal: 0.95,
      of: (r) => quotient(r['collector away']?.['requestsPerSecond'], r['traced']?.['requestsPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const collector = opening.use(await startCollector());
    const load = opening.use(new Load());
    const prepare = async (env: Readonly<Record<string, string>>): Promise<WriteLoad> => {
      const writes = new WriteLoad(opening.use(await openBench({ env })), load);
      await writes.run(loneWarmUp);
      return writes;
    };
    const traced = await prepare({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const untraced = await prepare({});
    // of the discard service: nobody listens there
    const away = await prepare({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    const open = opening.move();
    return {
      trials: {
        traced: () => traced.run(send),
        untraced: () => untraced.run(send),
        'collector away': () => away.run(send),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
