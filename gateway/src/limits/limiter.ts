import type { ConfigOf } from '@weir/kit/config';
import type { Logger } from '@weir/kit/log';
import type { DeveloperPrincipal, IngestionPrincipal } from '../http/operation.js';
import { type Admission, LimitError, type Limiter } from '../http/ports.js';
import { addressBucket } from './address-bucket.js';
import { Concurrency } from './concurrency.js';
import { createLimitEvents, type LimitEvents } from './events.js';
import { type Decision, intervalUsOf, type Rate } from './gcra.js';
import { LocalRates } from './local-rates.js';
import { rateHeaders, retryAfterSeconds } from './rate-headers.js';
import type { limitSettings } from './settings.js';
import { SharedRates } from './shared-rates.js';

/** What one kind of key may do. */
interface KeyLimits {
  readonly rate: Rate;
  readonly concurrentMax: number;
}

/** The name of the policy in the RateLimit headers. */
const policy = 'requests';

type Principal = DeveloperPrincipal | IngestionPrincipal;

function keyOf(principal: Principal): string {
  return principal.kind === 'developer' ? `developer:${principal.keyId}` : `ingestion:${principal.connectionId}`;
}

/** Starts the limits of a gateway: rates shared through Redis, or by share while it is away. */
export async function startLimiter(
  config: ConfigOf<typeof limitSettings>,
  log: Logger,
): Promise<KeyLimiter & AsyncDisposable> {
  const events = createLimitEvents(log);
  const shared = await SharedRates.connect(config.redisUrl, config.redisKeyPrefix, events, log);
  return new KeyLimiter(config, shared, events);
}

/** Rates and concurrency per key, and failed credentials per address. */
class KeyLimiter implements Limiter, AsyncDisposable {
  readonly #shared: SharedRates;
  readonly #local: LocalRates;
  readonly #concurrency = new Concurrency();
  readonly #limits: Readonly<Record<Principal['kind'], KeyLimits>>;
  readonly #failures: Rate;
  readonly #events: LimitEvents;

  constructor(config: ConfigOf<typeof limitSettings>, shared: SharedRates, events: LimitEvents) {
    this.#shared = shared;
    this.#events = events;
    this.#local = new LocalRates(config.gatewayReplicas);
    this.#limits = {
      developer: {
        rate: { perSecond: config.developerRequestsPerSecond, burst: config.developerRequestsBurst },
        concurrentMax: config.developerConcurrentRequests,
      },
      ingestion: {
        rate: { perSecond: config.ingestionRequestsPerSecond, burst: config.ingestionRequestsBurst },
        concurrentMax: config.ingestionConcurrentRequests,
      },
    };
    this.#failures = { perSecond: config.failedCredentialsPerMinute / 60, burst: config.failedCredentialsBurst };
  }

  /** Whether Redis is away and this gateway limits by its share. */
  get isDegraded(): boolean {
    return this.#shared.isAway;
  }

  /** Resolves when rates are shared: at once unless Redis is away. */
  async shared(): Promise<void> {
    await this.#shared.shared();
  }

  async admit(
    principal: Principal,
    operation: { readonly id: string; readonly concurrentMax?: number } = { id: '' },
  ): Promise<Admission> {
    const { rate, concurrentMax } = this.#limits[principal.kind];
    const key = keyOf(principal);
    const leave = await this.#enter(key, rate, { key, max: concurrentMax, what: 'requests' });
    let leaveOperation = (): void => undefined;
    try {
      if (operation.concurrentMax !== undefined)
        leaveOperation = await this.#enter(key, rate, {
          key: `${key} ${operation.id}`,
          max: operation.concurrentMax,
          what: 'requests of this operation',
        });
      const decision = await this.#take(key, rate, 1);
      if (!decision.isAllowed) throw this.#refusal(rate, decision, decision.retryAfterUs);
      return {
        headers: rateHeaders(policy, rate, decision),
        charge: (more) => this.#charge(key, rate, more),
        release: () => {
          leaveOperation();
          leave();
        },
      };
    } catch (error) {
      leaveOperation();
      leave();
      throw error;
    }
  }

  /** Takes a place among so many at a time. @returns what gives it back */
  async #enter(
    key: string,
    rate: Rate,
    place: { readonly key: string; readonly max: number; readonly what: string },
  ): Promise<() => void> {
    if (this.#concurrency.enter(place.key, place.max)) return () => this.#concurrency.leave(place.key);
    this.#events.refused('concurrency');
    // costs nothing, and tells how the rate stands
    const decision = await this.#take(key, rate, 0);
    const message = `At most ${place.max} ${place.what} of one key may be in progress.`;
    throw new LimitError('concurrency_limited', message, {
      headers: rateHeaders(policy, rate, decision),
      retryAfterSeconds: 1,
    });
  }

  async failedCredential(address: string): Promise<void> {
    const decision = await this.#take(`failures:${addressBucket(address)}`, this.#failures, 1);
    if (decision.isAllowed) return;
    this.#events.refused('failed_credentials');
    throw new LimitError(
      'rate_limited',
      'Too many calls from this address had no valid key; wait as long as Retry-After says, or send a valid key.',
      { retryAfterSeconds: retryAfterSeconds(decision.retryAfterUs) },
    );
  }

  async #charge(key: string, rate: Rate, more: number): Promise<void> {
    // what costs more than a whole burst is charged a burst: it would never be allowed otherwise
    const cost = Math.min(more, rate.burst - 1);
    if (cost <= 0) return;
    const decision = await this.#take(key, rate, cost);
    // the next try is charged by `admit` as well
    if (!decision.isAllowed) throw this.#refusal(rate, decision, decision.retryAfterUs + intervalUsOf(rate));
  }

  #refusal(rate: Rate, decision: Decision, retryAfterUs: number): LimitError {
    this.#events.refused('rate');
    return new LimitError(
      'rate_limited',
      `The limit of ${rate.perSecond} requests a second (${rate.burst} at once) of this key is reached; wait as long as Retry-After says.`,
      { headers: rateHeaders(policy, rate, decision), retryAfterSeconds: retryAfterSeconds(retryAfterUs) },
    );
  }

  async #take(key: string, rate: Rate, cost: number): Promise<Decision> {
    const shared = await this.#shared.take(key, rate, cost);
    if (shared !== undefined) return shared;
    this.#events.decidedAlone();
    return this.#local.take(key, rate, cost);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared[Symbol.asyncDispose]();
  }
}
