import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Points that are generated before the clock starts, with all that a point may have: point k is second k / instruments of
 * instrument `prefix k % instruments` of a site, with so many variables; no two are for the same instant and variable.
 */
export interface PointsOrder {
  readonly perRequest: number;
  readonly variables: number;
  readonly instruments: number;
  readonly siteId: string;
  /** First part of the instruments' names. */
  readonly instrumentPrefix: string;
  /** Number of the first point. */
  readonly first: number;
  /** Bodies that are made; when they are used up the load ends. */
  readonly bodies: number;
  /** As which text points are sent: as Weir takes them, or in the line protocol of other databases. */
  readonly form?: 'json' | 'lines';
}

/** What the load generator is to send. */
export interface LoadOrder {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A body that is posted each time, or points that are; a GET without either. */
  readonly body?: string;
  readonly points?: PointsOrder;
  /** Requests in flight at most. */
  readonly connections: number;
  readonly durationMs?: number;
  readonly requestsMax?: number;
  /** Requests begin at this rate whether answers come or not (open loop); as fast as they are answered unless given. */
  readonly perSecond?: number;
  /** An idempotency key a request; with `replay` the same `count` keys again. */
  readonly keys?: { readonly prefix: string; readonly replay?: boolean; readonly count: number };
}

/** What it measured. */
export interface LoadResult {
  readonly requests: number;
  readonly elapsedMs: number;
  readonly statuses: Readonly<Record<number, number>>;
  /** Of each request, in milliseconds. */
  readonly latencies: readonly number[];
  /** When each began (with a rate: was due), by its number, in milliseconds since 1970. */
  readonly startsMs: readonly number[];
}

/** A load generator in a process of its own. */
export class Load implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./load-process.js', import.meta.url)), {
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      execArgv: [...process.execArgv, '--expose-gc'],
      serialization: 'advanced',
    });
  }

  /** Sends an order. @throws Error when one answer is not a 200, or one of what `status` says */
  async run(order: LoadOrder, status: number | readonly number[] = 200): Promise<LoadResult> {
    this.#child.send(order);
    const [message] = (await once(this.#child, 'message')) as [{ result?: LoadResult; error?: string }];
    if (message.result === undefined) throw new Error(`the load generator failed: ${message.error}`);
    const { statuses, requests } = message.result;
    const expected = [status].flat().reduce((sum, each) => sum + (statuses[each] ?? 0), 0);
    if (expected !== requests)
      throw new Error(`${order.path}: not all answers are ${status}: ${JSON.stringify(statuses)}`);
    return message.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}

/** A percentile of numbers, by the nearest rank. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
