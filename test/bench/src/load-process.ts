/** The load generator: a process of its own, so that what it costs is not the parent's event loop. */
import { tuneCollections } from '@weir/kit/garbage';
import { type Dispatcher, Pool } from 'undici';
import type { LoadOrder, LoadResult } from './load.js';
import { pointBodies } from './point-bodies.js';

/** Sends a request, throws its answer away, and tells its status: without a stream, which is a tenth of what a small request costs here. */
function statusOf(pool: Pool, options: Dispatcher.DispatchOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    pool.dispatch(options, {
      onRequestStart: () => undefined,
      onResponseStart(_, statusCode) {
        status = statusCode;
      },
      onResponseData: () => undefined,
      onResponseEnd: () => resolve(status),
      onResponseError: (_, error) => reject(error),
    });
  });
}

/** What is posted, by turns: encoded, and without the texts that it is encoded from, before the clock starts. */
function bodiesOf({ body, points }: LoadOrder): readonly Buffer[] | undefined {
  if (points !== undefined) return pointBodies(points).map((text) => Buffer.from(text));
  return body === undefined ? undefined : [Buffer.from(body)];
}

/** Sends the requests of an order and measures each. */
async function generate(order: LoadOrder): Promise<LoadResult> {
  const { origin, path, headers, points, connections, durationMs, perSecond, keys } = order;
  const bodies = bodiesOf(order);
  const requestsMax = Math.min(order.requestsMax ?? Infinity, points?.bodies ?? Infinity);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const latencies: number[] = [];
  const startsMs: number[] = [];
  const statuses: Record<number, number> = {};
  // what making the bodies left behind would be collected while the first of them are sent
  globalThis.gc?.();
  const startedMs = performance.now();
  let sent = 0;
  const one = async (number: number): Promise<void> => {
    const key = keys?.replay === true ? number % keys.count : number;
    const status = await statusOf(pool, {
      path,
      method: bodies === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(keys && { 'idempotency-key': `${keys.prefix}-${key}` }) },
      body: bodies?.[number % bodies.length] ?? null,
    });
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const isOver = (): boolean => sent >= requestsMax || performance.now() - startedMs >= (durationMs ?? Infinity);
  const closedLoop = async (): Promise<void> => {
    while (!isOver()) {
      const number = sent++;
      const beganMs = performance.now();
      startsMs[number] = performance.timeOrigin + beganMs;
      await one(number);
      latencies.push(performance.now() - beganMs);
    }
  };
  /** Requests begin when they are due, whether those before have ended or not; latency counts from then. */
  const openLoop = async (rate: number): Promise<void> => {
    const pending: Promise<void>[] = [];
    while (!isOver()) {
      const dueMs = startedMs + (sent * 1000) / rate;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0.5) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        continue;
      }
      startsMs[sent] = performance.timeOrigin + dueMs;
      pending.push(one(sent++).then(() => void latencies.push(performance.now() - dueMs)));
    }
    await Promise.all(pending);
  };
  if (perSecond === undefined) await Promise.all(Array.from({ length: connections }, closedLoop));
  else await openLoop(perSecond);
  const elapsedMs = performance.now() - startedMs;
  await pool.close();
  return { requests: latencies.length, elapsedMs, statuses, latencies, startsMs };
}

// what it spends on garbage is time that the measured processes do not have
tuneCollections();
process.on('message', (order: LoadOrder) => {
  generate(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
