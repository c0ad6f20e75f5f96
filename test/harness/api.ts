import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from './tenant.js';

/** A point as a device posts it. */
export interface Point {
  readonly instrument_timestamp: string;
  readonly instrument_name: string;
  readonly site_id?: string;
  readonly ingested_variables: readonly { readonly name: string; readonly value: number }[];
}

export interface RunSummary {
  readonly run_id: string;
  readonly state: string;
}

export interface RunDetail extends RunSummary {
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly variables: readonly {
    readonly name: string;
    readonly variable_id: string | null;
    readonly outcome: string;
    readonly error: { readonly code: string } | null;
  }[];
}

/** One series of observations, put together from all pages. */
export interface Series {
  readonly timestamps: string[];
  readonly values: number[];
}

/** The public API as a device and a client of one tenant use it. */
export interface Api {
  /** One request; the body is parsed, the status is the caller's to judge. */
  request<T>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<{ status: number; body: T; headers: Headers }>;
  /** Waits until the gateway has found a service that was away, by what it reads there: until then it says 503. */
  untilServed(path: string): Promise<void>;
  /** Posts points until the answer is 200: a failure of the network or a 5xx is retried under the same key. */
  ingest(points: readonly Point[], idempotencyKey?: string): Promise<{ replayed: boolean; runs: RunSummary[] }>;
  run(runId: string): Promise<RunDetail>;
  /** Every observation of a variable in ascending order, page by page. */
  observations(variableId: string, limit?: number): Promise<Series>;
}

export interface RequestOptions {
  readonly json?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long a device goes on sending what was not answered with 200. */
const retryMs = 60_000;
/** A gateway looks for a service that was away every two seconds at least; a busy machine takes longer. */
const servedMs = 10_000;
const pauseMs = 50;

/** The API of a gateway for one tenant. */
export function apiOf(gatewayUrl: string, tenant: Tenant): Api {
  const request: Api['request'] = async (method, path, options = {}) => {
    const response = await fetch(new URL(path, gatewayUrl), {
      method,
      headers: {
        authorization: `Bearer ${options.key ?? (path.startsWith('/v1/') ? tenant.ingestionKey : tenant.developerKey)}`,
        ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), headers: response.headers };
  };
  // a connection may end just as it is used: who only reads asks again (RFC 9110, 9.2.2)
  const get = <T>(path: string) =>
    request<T>('GET', path).catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
      return request<T>('GET', path);
    });
  const data = async <T>(path: string): Promise<T> => {
    const answer = await get<{ data: T }>(path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  return {
    request,
    async untilServed(path) {
      const deadline = Date.now() + servedMs;
      for (;;) {
        const { status, body } = await get(path);
        if (status === 200) return;
        if (status !== 503 || Date.now() > deadline) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
        await delay(pauseMs);
      }
    },
    async ingest(points, idempotencyKey = crypto.randomUUID()) {
      const deadline = Date.now() + retryMs;
      for (;;) {
        const answer = await request<{ data: { replayed: boolean; runs: RunSummary[] } }>('POST', '/v1/ingest', {
          json: { data: points },
          headers: { 'idempotency-key': idempotencyKey },
        }).catch((error: unknown) => ({ status: 503, body: error as never }));
        if (answer.status === 200) return answer.body.data;
        if (Date.now() > deadline || (answer.status < 500 && answer.status !== 429)) {
          throw new Error(`POST /v1/ingest: ${answer.status} ${JSON.stringify(answer.body)}`);
        }
        await delay(pauseMs);
      }
    },
    run: (runId) => data(`/v1/ingest/runs/${runId}`),
    async observations(variableId, limit = 10_000) {
      const series: Series = { timestamps: [], values: [] };
      let cursor = '';
      do {
        const page = await data<{ items: (Series & { variable_id: string })[]; next_cursor: string | null }>(
          `/dev-api/v1/p/${tenant.projectId}/observations?variable_id=${variableId}&limit=${limit}${cursor}`,
        );
        for (const item of page.items) {
          series.timestamps.push(...item.timestamps);
          series.values.push(...item.values);
        }
        cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
      } while (cursor !== '');
      return series;
    },
  };
}
