import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { bareClient, selectDashboards } from '../bare-dashboards.js';
import { type Bench, openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { startServed } from '../served-process.js';

const dashboards = 50;
const loadMs = 3000;
/** As lone points: with 8 at once a quarter of two cores waits, and what is measured is who wakes whom, not what a list costs. */
const connections = 64;
const fewConnections = 8;
/** Lists of each handler after which their cost falls no more; the first of them take half as much again. */
const warmUpRequests = 10_000;

interface Listed {
  readonly data: { readonly items: readonly { readonly name: string }[] };
}

async function createDashboards({ origin, projectId, developerHeaders }: Bench): Promise<void> {
  for (let number = 0; number < dashboards; number++) {
    const answer = await fetch(`${origin}/dev-api/v1/p/${projectId}/dashboards`, {
      method: 'POST',
      headers: { ...developerHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Dashboard ${number}`, description: 'The gauges below the bridge' }),
    });
    if (answer.status !== 201) throw new Error(`a dashboard was answered ${answer.status}: ${await answer.text()}`);
  }
}

/** Handlers as one writes them first: Express, and the database or such a service. Nobody is asked for a key. */
async function serveBare(bench: Bench): Promise<{ readonly origin: string } & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const { databaseUrl, projectId } = bench;
  const pool = opening.adopt(new pg.Pool({ connectionString: databaseUrl }), (opened) => opened.end());
  const { address } = opening.use(
    await startServed(new URL('../bare-dashboards-process.js', import.meta.url), {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
    }),
  );
  const service = opening.use(bareClient(address));
  const app = express();
  app.get('/dashboards', async (_req, res) => {
    res.json({ data: { items: await selectDashboards(pool, projectId, dashboards) } });
  });
  app.get('/dashboards-of-a-service', async (_req, res) => {
    const page = { projectId, q: '', includeArchived: false, limit: dashboards, after: '' };
    res.json({ data: { items: (await service.list(page)).dashboards } });
  });
  const server = app.listen(0, '127.0.0.1');
  opening.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const open = opening.move();
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** What keys, permissions, checks, a service of its own and the envelope cost a list of the Developer API. */
export const lists: Family = {
  name: 'lists of the Developer API',
  ratios: [
    {
      id: 'R7',
      what: 'lists of 50 dashboards, 64 at once, through the gateway ÷ by a bare Express handler with the same SQL',
      goal: 0.6,
      stretch: 0.75,
      of: (r) => quotient(r['gateway']?.['requestsPerSecond'], r['bare handler']?.['requestsPerSecond']),
    },
    {
      id: 'R7F',
      what: 'the same lists with 8 at once',
      of: (r) => quotient(r['gateway, few']?.['requestsPerSecond'], r['bare handler, few']?.['requestsPerSecond']),
    },
    {
      id: 'R7P',
      what: 'the same lists by a bare handler that asks a bare gRPC service ÷ by one that asks the database',
      of: (r) =>
        quotient(r['bare handler and service']?.['requestsPerSecond'], r['bare handler']?.['requestsPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const load = opening.use(new Load());
    await createDashboards(bench);
    const bare = opening.use(await serveBare(bench));
    const gateway = { origin: bench.origin, path: `/dev-api/v1/p/${bench.projectId}/dashboards?limit=${dashboards}` };
    const handler = { origin: bare.origin, path: '/dashboards' };
    const pair = { origin: bare.origin, path: '/dashboards-of-a-service' };
    const headers = bench.developerHeaders;
    const names = async ({ origin, path }: typeof handler): Promise<string> => {
      const { data } = (await (await fetch(origin + path, { headers })).json()) as Listed;
      return data.items.map(({ name }) => name).join();
    };
    const listed = await names(gateway);
    const same = [listed, await names(handler), await names(pair)];
    if (listed.split(',').length !== dashboards || new Set(same).size > 1)
      throw new Error(`the gateway and the bare handlers list different dashboards: ${same.join('; ')}`);
    const ask = async (whom: typeof handler, atOnce = connections) => {
      const { requests, elapsedMs } = await load.run({ ...whom, headers, connections: atOnce, durationMs: loadMs });
      return { requestsPerSecond: (requests / elapsedMs) * 1000 };
    };
    for (const whom of [gateway, handler, pair])
      await load.run({ ...whom, headers, connections, requestsMax: warmUpRequests });
    const open = opening.move();
    return {
      trials: {
        gateway: () => ask(gateway),
        'bare handler': () => ask(handler),
        'bare handler and service': () => ask(pair),
        'gateway, few': () => ask(gateway, fewConnections),
        'bare handler, few': () => ask(handler, fewConnections),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
