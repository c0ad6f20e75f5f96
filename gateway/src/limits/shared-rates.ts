import type { Logger } from '@weir/kit/log';
import { type ChainableCommander, Redis } from 'ioredis';
import type { LimitEvents } from './events.js';
import { GatheredTakes, type Order, type Taken } from './gathered-takes.js';
import { type Decision, intervalUsOf, type Rate, takeTokensLua } from './gcra.js';

/** Redis answers within this or is taken to be away. */
const commandTimeoutMs = 100;
/** A connection that is silent for so long while a command waits is dropped and opened anew. */
const socketTimeoutMs = 1000;
const connectTimeoutMs = 1000;
/** Failures in a row after which Redis is no longer asked but probed. */
const failuresMax = 3;
const probeIntervalMs = 250;
const reconnectDelayMaxMs = 1000;
const probeRate: Rate = { perSecond: 1000, burst: 1000 };

interface Script<T> {
  takeTokens(key: string, intervalUs: number, burst: number, cost: number, callers: number): T;
}
type ScriptedPipeline = ChainableCommander & Script<ScriptedPipeline>;

/** The reply of the script. */
function toTaken([allowed, remaining, retryAfterUs, resetUs]: readonly [number, number, number, number]): Taken {
  return { allowed, remaining, retryAfterUs, resetUs };
}

/**
 * Rates shared by all gateways through Redis. While Redis does not answer they cannot be told; after
 * a few failures a circuit breaker stops asking, so that a dead Redis costs requests no time.
 */
export class SharedRates implements AsyncDisposable {
  readonly #redis: Redis;
  readonly #keyPrefix: string;
  readonly #events: LimitEvents;
  readonly #takes = new GatheredTakes((orders) => this.#ask(orders));
  #failures = 0;
  #probe: NodeJS.Timeout | undefined;
  #isDisposed = false;
  #awaySinceMs = 0;
  #back = Promise.withResolvers<void>();

  private constructor(redis: Redis, keyPrefix: string, events: LimitEvents) {
    this.#redis = redis;
    this.#keyPrefix = keyPrefix;
    this.#events = events;
  }

  /** Connects; a Redis that is away now is waited for a moment and then looked for in the background. */
  static async connect(redisUrl: string, keyPrefix: string, events: LimitEvents, log: Logger): Promise<SharedRates> {
    const redis = new Redis(redisUrl, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: commandTimeoutMs,
      socketTimeout: socketTimeoutMs,
      connectTimeout: connectTimeoutMs,
      retryStrategy: (times) => Math.min(times * 100, reconnectDelayMaxMs),
      scripts: { takeTokens: { lua: takeTokensLua, numberOfKeys: 1 } },
    });
    // every reconnection reports its failure; the breaker says once what matters of them
    redis.on('error', (error) => log.debug({ err: error }, 'redis connection'));
    const rates = new SharedRates(redis, keyPrefix, events);
    try {
      await redis.connect();
    } catch (error) {
      rates.#open(error);
    }
    return rates;
  }

  /** Whether Redis is taken to be away. */
  get isAway(): boolean {
    return this.#probe !== undefined;
  }

  /** Resolves when Redis is asked: at once unless it is away. */
  async shared(): Promise<void> {
    if (this.isAway) await this.#back.promise;
  }

  /** Takes `cost` tokens of a rate; undefined when Redis does not answer. */
  async take(key: string, rate: Rate, cost: number): Promise<Decision | undefined> {
    if (this.isAway) return undefined;
    try {
      const decision = await this.#takes.take(key, rate, cost);
      this.#failures = 0;
      return decision;
    } catch (error) {
      this.#failures++;
      if (this.#failures >= failuresMax) this.#open(error);
      return undefined;
    }
  }

  /** One round trip for all of them. */
  async #ask(orders: readonly Order[]): Promise<(Taken | Error)[]> {
    const pipeline = this.#redis.pipeline() as ScriptedPipeline;
    for (const { key, rate, cost, count } of orders)
      pipeline.takeTokens(`${this.#keyPrefix}:rate:${key}`, intervalUsOf(rate), rate.burst, cost, count);
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, reply]) => error ?? toTaken(reply as Parameters<typeof toTaken>[0]));
  }

  #open(error: unknown): void {
    if (this.isAway || this.#isDisposed) return;
    this.#awaySinceMs = performance.now();
    this.#back = Promise.withResolvers();
    this.#events.degraded(error);
    this.#probeLater();
  }

  #probeLater(): void {
    this.#probe = setTimeout(() => void this.#askAgain(), probeIntervalMs);
  }

  async #askAgain(): Promise<void> {
    try {
      // the script itself: a server that answers PING may still refuse to write
      await this.#takes.take('probe', probeRate, 1);
    } catch {
      if (!this.#isDisposed) this.#probeLater();
      return;
    }
    this.#probe = undefined;
    this.#failures = 0;
    this.#back.resolve();
    this.#events.shared(performance.now() - this.#awaySinceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#probe);
    await this.#redis.quit().catch(() => this.#redis.disconnect());
  }
}
