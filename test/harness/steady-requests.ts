import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from './tenant.js';

const pauseMs = 20;

/** What became of requests that were sent one after the other. */
export interface Requests {
  /** Connections that broke before an answer; each was sent again. */
  resets: number;
  /** Bodies of answers that were no success. */
  readonly refusals: string[];
  /** How long each took until its answer was read, in milliseconds, in the order that they were sent in. */
  readonly times: number[];
}

/** Reads and changes what one project has, one request after the other, on connections that are kept, until told to stop. */
export async function sendSteadily(
  url: string,
  { projectId, developerKey }: Tenant,
  stop: AbortSignal,
): Promise<Requests> {
  const seen: Requests = { resets: 0, refusals: [], times: [] };
  const project = `${url}/dev-api/v1/p/${projectId}`;
  const headers = { authorization: `Bearer ${developerKey}`, 'content-type': 'application/json' };
  const send = async (method: string, path: string, json?: unknown): Promise<ReturnType<typeof JSON.parse>> => {
    for (const begunMs = performance.now(); ; ) {
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const answer = await fetch(project + path, { method, headers, ...body }).catch(() => undefined);
      if (answer === undefined) {
        seen.resets++;
        continue;
      }
      const text = await answer.text();
      seen.times.push(performance.now() - begunMs);
      if (answer.ok) return JSON.parse(text).data;
      seen.refusals.push(`${method} ${path}: ${answer.status} ${text}`);
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
  return seen;
}
