import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { type Bench, openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';

const dashboards = 50;
const loadMs = 3000;
const connections = 8;

const listSql = {
  name: 'dashboards',
  text: `select id, project_id, name, description, time_range, widget_count, revision, created_at, updated_at,
      updated_by, archived_at, archived_by
    from dashboards.dashboards
    where project_id = $1 and id > $2 and archived_at is null
      and ($3 or upper(lower(name collate "und-x-icu")) like (select upper(lower($4 collate "und-x-icu"))))
    order by id limit $5`,
};
const listValues = (projectId: string) => [
  projectId,
  '00000000-0000-0000-0000-000000000000',
  true,
  null,
  dashboards + 1,
];

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

/** A handler as one writes it first: Express, the database, JSON. Nobody is asked for a key. */
async function serveBare({ databaseUrl, projectId }: Bench): Promise<{ readonly origin: string } & AsyncDisposable> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const app = express();
  app.get('/dashboards', async (_req, res) => {
    const { rows } = await pool.query({ ...listSql, values: listValues(projectId) });
    res.json({ data: { items: rows } });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await pool.end();
    },
  };
}

/** What keys, permissions, checks, a service of its own and the envelope cost a list of the Developer API. */
export const lists: Family = {
  name: 'lists of the Developer API',
  ratios: [
    {
      id: 'R7',
      what: 'lists of 50 dashboards through the gateway ÷ by a bare Express handler with the same SQL',
      goal: 0.6,
      stretch: 0.75,
      of: (r) => quotient(r['gateway']?.['requestsPerSecond'], r['bare handler']?.['requestsPerSecond']),
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
    const headers = bench.developerHeaders;
    const names = async ({ origin, path }: typeof handler): Promise<string> => {
      const { data } = (await (await fetch(origin + path, { headers })).json()) as Listed;
      return data.items.map(({ name }) => name).join();
    };
    const listed = await names(gateway);
    if (listed.split(',').length !== dashboards || listed !== (await names(handler)))
      throw new Error(`the gateway and the bare handler list different dashboards: ${listed}`);
    const ask = async (whom: typeof handler) => {
      const { requests, elapsedMs } = await load.run({ ...whom, headers, connections, durationMs: loadMs });
      return { requestsPerSecond: (requests / elapsedMs) * 1000 };
    };
    const open = opening.move();
    return {
      trials: { gateway: () => ask(gateway), 'bare handler': () => ask(handler) },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
