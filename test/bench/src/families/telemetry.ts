import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient, type Sample } from '../ratio.js';
import { loneWarmUp, WriteLoad } from '../write-load.js';

const send = { perRequest: 1, variables: 1, connections: 32, durationMs: 8000, bodies: 40_000 };
/** Exporters wait 5 s at most between two attempts: before that, one that has come back may not be asked. */
const backAfterMs = 6000;

/** A collector that takes all and looks at nothing, what it does with it is not ours to measure; it can go away, and come back. */
class Collector implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async come(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async go(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.go();
  }
}

function meanRate(samples: readonly Sample[]): number {
  return samples.reduce((sum, sample) => sum + (sample['requestsPerSecond'] ?? 0), 0) / samples.length;
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
      what: 'the same, while the collector is away ÷ while it answers',
      goal: 0.95,
      of: (r) =>
        quotient(
          r['collector in turns']?.['awayRequestsPerSecond'],
          r['collector in turns']?.['thereRequestsPerSecond'],
        ),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const collector = opening.use(new Collector());
    await collector.come();
    const load = opening.use(new Load());
    const prepare = async (env: Readonly<Record<string, string>>): Promise<WriteLoad> => {
      const writes = new WriteLoad(opening.use(await openBench({ env })), load);
      await writes.run(loneWarmUp);
      return writes;
    };
    const traced = await prepare({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const untraced = await prepare({});
    const open = opening.move();
    return {
      trials: {
        // one stack in turns: of two alike one stays a tenth faster, and a machine's speed changes within seconds
        'collector in turns': async () => {
          const there = [await traced.run(send)];
          await collector.go();
          const away = [await traced.run(send), await traced.run(send)];
          await collector.come();
          await delay(backAfterMs);
          there.push(await traced.run(send));
          return { thereRequestsPerSecond: meanRate(there), awayRequestsPerSecond: meanRate(away) };
        },
        traced: () => traced.run(send),
        untraced: () => untraced.run(send),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
