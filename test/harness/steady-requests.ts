import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { tryRequest } from '../history/try-request.js';
import type { Tenant } from './tenant.js';

const pauseMs = 20;
/** Longer than a gateway takes to tell that it cannot. */
const patienceMs = 40_000;
/** A request is sent so often at most: a second connection of the same client has no reason to end as well. */
const triesMax = 2;

/** What became of requests that were sent one after the other. */
export interface Requests {
  /** Tries whose connection ended before a byte of an answer, and that may be repeated; each was. */
  resets: number;
  /** What was neither a success nor such a reset, in words. */
  readonly failures: string[];
  /** How long each took until its answer was read, in milliseconds, in the order that they were sent in. */
  readonly times: number[];
}

/** Reads and changes what one project has, one request after the other, on a connection that is kept, until told to stop. */
export async function sendSteadily(
  url: string,
  { projectId, developerKey }: Tenant,
  stop: AbortSignal,
): Promise<Requests> {
  const seen: Requests = { resets: 0, failures: [], times: [] };
  const project = `${url}/dev-api/v1/p/${projectId}`;
  const headers = { authorization: `Bearer ${developerKey}`, 'content-type': 'application/json' };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (method: string, path: string, json?: unknown): Promise<ReturnType<typeof JSON.parse>> => {
    const begunMs = performance.now();
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    for (let tries = 1; ; tries++) {
      const outcome = await tryRequest(agent, { method, url: project + path, headers, ...body }, patienceMs);
      if (outcome === 'reset' && tries < triesMax) {
        seen.resets++;
        continue;
      }
      if (typeof outcome === 'object') {
        seen.times.push(performance.now() - begunMs);
        if (outcome.status < 300) return JSON.parse(outcome.text).data;
      }
      seen.failures.push(
        `${method} ${path}: ${typeof outcome === 'object' ? `${outcome.status} ${outcome.text}` : outcome}`,
      );
      return undefined;
    }
  };
  const name = `Rolled over ${crypto.randomUUID()}`;
  const site = await send('POST', '/sites', { name, latitude: 1, longitude: 2, timezone: 'UTC' });
  for (let round = 0; !stop.aborted; round++) {
    await send('PATCH', `/sites/${site?.id}`, { description: `round ${round}` });
    const variables = await send('GET', '/variables');
    const variable = variables?.items[0];
    if (variable !== undefined) await send('GET', `/observations?variable_id=${variable.id}&limit=10`);
    await send('GET', '/dashboards');
    await send('GET', '/parsers');
    await delay(pauseMs);
  }
  agent.destroy();
  return seen;
}
