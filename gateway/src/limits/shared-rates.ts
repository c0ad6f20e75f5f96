import type { Logger } from '@weir/kit/log';
import { Redis } from 'ioredis';
import type { LimitEvents } from './events.js';
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

/** The reply of the script: allowed, remaining, retry after, reset. */
type Reply = readonly [number, number, number, number];

interface ScriptedRedis extends Redis {
  takeTokens(key: string, intervalUs: number, burst: number, cost: number): Promise<Reply>;
}

/**
 * Rates shared by all gateways through Redis. While Redis does not answer they cannot be told; after
 * a few failures a circuit breaker stops asking, so that a dead Redis costs requests no time.
 */
export class SharedRates implements AsyncDisposable {
  readonly #redis: ScriptedRedis;
  readonly #keyPrefix: string;
  readonly #events: LimitEvents;
  #failures = 0;
  #probe: NodeJS.Timeout | undefined;
  #isDisposed = false;
  #awaySinceMs = 0;
  #back = Promise.withResolvers<void>();

  private constructor(redis: ScriptedRedis, keyPrefix: string, events: LimitEvents) {
    this.#redis = redis;
    this.#keyPrefix = keyPrefix;
    this.#events = events;
  }

  /** Connects; a Redis that is away now is waited for a moment and then looked for in the background. */
  static async connect(redisUrl: string, keyPrefix: string, events: LimitEvents, log: Logger): Promise<SharedRates> {
    const redis = new Redis(redisUrl, {
      lazyConnect: true,
      enableOfflineQueue: false,
      // requests that come together share a write
      enableAutoPipelining: true,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: commandTimeoutMs,
      socketTimeout: socketTimeoutMs,
      connectTimeout: connectTimeoutMs,
      retryStrategy: (times) => Math.min(times * 100, reconnectDelayMaxMs),
      scripts: { takeTokens: { lua: takeTokensLua, numberOfKeys: 1 } },
    }) as ScriptedRedis;
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
      const decision = await this.#ask(key, rate, cost);
      this.#failures = 0;
      return decision;
    } catch (error) {
      this.#failures++;
      if (this.#failures >= failuresMax) this.#open(error);
      return undefined;
    }
  }

  async #ask(key: string, rate: Rate, cost: number): Promise<Decision> {
    const name = `${this.#keyPrefix}:rate:${key}`;
    const reply = await this.#redis.takeTokens(name, intervalUsOf(rate), rate.burst, cost);
    const [allowed, remaining, retryAfterUs, resetUs] = reply;
    return { isAllowed: allowed === 1, remaining, retryAfterUs, resetUs };
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
      await this.#ask('probe', probeRate, 1);
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
