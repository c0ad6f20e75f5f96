import { randomBytes } from 'node:crypto';
import type { Logger } from '@weir/kit/log';
import { Redis } from 'ioredis';
import type { LimitEvents } from './events.js';
import { GatheredTakes, type Order, type PlacedDecision, type Taken } from './gathered-takes.js';
import { intervalUsOf, type Rate } from './gcra.js';
import { HeldPlaces, type Places } from './held-places.js';
import { StandingRefusals } from './standing-refusals.js';
import { takeLua, tellLua } from './take-lua.js';

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
/** What a gateway told of its places is true for so long: then it is taken to be dead, and they are free. */
const leaseMs = 5000;
const tellAllIntervalMs = leaseMs / 3;
/** A place that was given back is told with the next question, and when there is none for so long, by one of its own. */
const tellAfterMs = 10;

/** What `scripts` adds to a connection. */
interface Scripts {
  take(numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  tell(places: string, gateway: string, held: number, leaseUs: number): Promise<unknown>;
}

/** The reply of the script. */
function toTaken(reply: unknown): Taken {
  const [allowed, remaining, retryAfterUs, resetUs, wanting] = reply as [number, number, number, number, number];
  return { allowed, remaining, retryAfterUs, resetUs, isFull: wanting === 1 };
}

/**
 * Rates, and places of what is in progress, shared by all gateways through Redis. While Redis does not answer they cannot be told;
 * after a few failures a circuit breaker stops asking, so that a dead Redis costs requests no time.
 */
export class SharedLimits implements AsyncDisposable {
  readonly #redis: Redis & Scripts;
  readonly #keyPrefix: string;
  readonly #events: LimitEvents;
  readonly #takes = new GatheredTakes((orders) => this.#ask(orders));
  readonly #refusals = new StandingRefusals();
  readonly #gateway = randomBytes(9).toString('base64url');
  readonly #tellingAll = setInterval(() => this.#tellAll(), tellAllIntervalMs);
  #telling: NodeJS.Timeout | undefined;
  /** What is in progress in this gateway. */
  readonly held = new HeldPlaces();
  #failures = 0;
  #probe: NodeJS.Timeout | undefined;
  #isDisposed = false;
  #awaySinceMs = 0;
  #back = Promise.withResolvers<void>();

  private constructor(redis: Redis, keyPrefix: string, events: LimitEvents) {
    this.#redis = redis as Redis & Scripts;
    this.#keyPrefix = keyPrefix;
    this.#events = events;
  }

  /** Connects; a Redis that is away now is waited for a moment and then looked for in the background. */
  static async connect(redisUrl: string, keyPrefix: string, events: LimitEvents, log: Logger): Promise<SharedLimits> {
    const redis = new Redis(redisUrl, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: commandTimeoutMs,
      socketTimeout: socketTimeoutMs,
      connectTimeout: connectTimeoutMs,
      retryStrategy: (times) => Math.min(times * 100, reconnectDelayMaxMs),
      scripts: { take: { lua: takeLua }, tell: { lua: tellLua, numberOfKeys: 1 } },
    });
    // every reconnection reports its failure; the breaker says once what matters of them
    redis.on('error', (error) => log.debug({ err: error }, 'redis connection'));
    const limits = new SharedLimits(redis, keyPrefix, events);
    try {
      await redis.connect();
    } catch (error) {
      limits.#open(error);
    }
    return limits;
  }

  /** Whether Redis is taken to be away. */
  get isAway(): boolean {
    return this.#probe !== undefined;
  }

  /** Resolves when Redis is asked: at once unless it is away. */
  async shared(): Promise<void> {
    if (this.isAway) await this.#back.promise;
  }

  /** Takes `cost` tokens of a rate, and a place where there are some: both or neither. Undefined when Redis does not answer. */
  async take(key: string, rate: Rate, cost: number, places?: Places): Promise<PlacedDecision | undefined> {
    if (this.isAway) return undefined;
    const askedMs = performance.now();
    const standing = cost === 1 ? this.#refusals.of(key, askedMs) : undefined;
    if (standing !== undefined) return standing;
    try {
      const decision = await this.#takes.take(key, rate, cost, places);
      this.#failures = 0;
      if (cost === 1) this.#refusals.keep(key, askedMs, decision);
      return decision;
    } catch (error) {
      this.#failures++;
      if (this.#failures >= failuresMax) this.#open(error);
      return undefined;
    }
  }

  /** Gives a place back. */
  giveBack(key: string): void {
    this.held.giveBack(key);
    this.#tellSoon();
  }

  #tellAll(): void {
    this.held.tellAll();
    this.#tellSoon();
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      if (!this.isAway && this.held.untold.size > 0) this.#takes.askSoon();
    }, tellAfterMs);
  }

  /**
   * One round trip for all of them, and for what the other gateways have yet to be told. The socket keeps
   * them until all are written: V8 keeps each pipeline of ioredis until it collects all garbage (docs/decisions/0057-what-has-ended-is-let-go-of.md).
   */
  async #ask(orders: readonly Order[]): Promise<(Taken | Error)[]> {
    const { stream } = this.#redis;
    stream?.cork();
    const commands: Promise<unknown>[] = [];
    const told = new Map<string, number>();
    for (const { key, rate, cost, count, places } of orders) {
      const rateKey = `${this.#keyPrefix}:rate:${key}`;
      const asked = [intervalUsOf(rate), rate.burst, cost, count];
      if (places === undefined) {
        commands.push(this.#redis.take(1, rateKey, ...asked));
        continue;
      }
      const held = this.held.countOf(places.key);
      told.set(places.key, held);
      const placed = [this.#gateway, places.max, held, leaseMs * 1000];
      commands.push(this.#redis.take(2, rateKey, this.#placesKey(places.key), ...asked, ...placed));
    }
    const tellings = [...this.held.untold].filter((key) => !told.has(key));
    for (const key of tellings) {
      told.set(key, this.held.countOf(key));
      commands.push(this.#redis.tell(this.#placesKey(key), this.#gateway, this.held.countOf(key), leaseMs * 1000));
    }
    stream?.uncork();
    const replies = await Promise.allSettled(commands);
    for (const [index, key] of tellings.entries())
      if (replies[orders.length + index]?.status === 'fulfilled') this.held.told(key, told.get(key) ?? 0);
    return orders.map(({ places }, index) => {
      const reply = replies[index] as PromiseSettledResult<unknown>;
      if (reply.status === 'rejected') {
        if (places !== undefined) this.held.tellAgain(places.key);
        return reply.reason as Error;
      }
      const taken = toTaken(reply.value);
      if (places !== undefined) {
        this.held.take(places.key, taken.allowed);
        this.held.told(places.key, (told.get(places.key) ?? 0) + taken.allowed);
      }
      return taken;
    });
  }

  #placesKey(key: string): string {
    return `${this.#keyPrefix}:places:${key}`;
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
    clearTimeout(this.#telling);
    clearInterval(this.#tellingAll);
    if (!this.isAway) await this.#ask([]);
    await this.#redis.quit().catch(() => this.#redis.disconnect());
  }
}
