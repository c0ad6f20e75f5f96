import { setTimeout as wait } from 'node:timers/promises';
import type { ConfigOf } from '@weir/kit/config';
import type { Logger } from '@weir/kit/log';
import type { DeveloperPrincipal, IngestionPrincipal } from '../http/operation.js';
import { type Admission, LimitError, type Limiter } from '../http/ports.js';
import { addressBucket } from './address-bucket.js';
import { createLimitEvents, type LimitEvents } from './events.js';
import type { PlacedDecision } from './gathered-takes.js';
import type { Decision, Rate } from './gcra.js';
import type { Places } from './held-places.js';
import { LocalLimits } from './local-limits.js';
import { rateHeaders, retryAfterSeconds } from './rate-headers.js';
import type { limitSettings } from './settings.js';
import { SharedLimits } from './shared-limits.js';

/** What one kind of key may do. */
interface KeyLimits {
  readonly rate: Rate;
  readonly concurrentMax: number;
}

/** The name of the policy in the RateLimit headers. */
const policy = 'requests';
/** Longer than what a gateway gave back is known only to itself. */
const lookAgainMs = 25;

type Principal = DeveloperPrincipal | IngestionPrincipal;

function keyOf(principal: Principal): string {
  return principal.kind === 'developer' ? `developer:${principal.keyId}` : `ingestion:${principal.connectionId}`;
}

/** Starts the limits of a gateway: shared through Redis, or by share while it is away. */
export async function startLimiter(
  config: ConfigOf<typeof limitSettings>,
  log: Logger,
): Promise<KeyLimiter & AsyncDisposable> {
  const events = createLimitEvents(log);
  const shared = await SharedLimits.connect(config.redisUrl, config.redisKeyPrefix, events, log);
  return new KeyLimiter(config, shared, events);
}

/** Rates and concurrency per key, and failed credentials per address. */
class KeyLimiter implements Limiter, AsyncDisposable {
  readonly #shared: SharedLimits;
  readonly #local: LocalLimits;
  readonly #limits: Readonly<Record<Principal['kind'], KeyLimits>>;
  readonly #failures: Rate;
  readonly #events: LimitEvents;

  constructor(config: ConfigOf<typeof limitSettings>, shared: SharedLimits, events: LimitEvents) {
    this.#shared = shared;
    this.#events = events;
    this.#local = new LocalLimits(config.gatewayReplicas, shared.held);
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
    const whole = { key, max: concurrentMax };
    let ofOperation: Places | undefined;
    if (operation.concurrentMax !== undefined) {
      ofOperation = { key: `${key} ${operation.id}`, max: operation.concurrentMax };
      await this.#enter(key, rate, 0, ofOperation, 'requests of this operation');
    }
    const leaveOperation = (): void => {
      if (ofOperation !== undefined) this.#shared.giveBack(ofOperation.key);
    };
    try {
      const decision = await this.#enter(key, rate, 1, whole, 'requests');
      return {
        headers: rateHeaders(policy, rate, decision),
        release: () => {
          leaveOperation();
          this.#shared.giveBack(whole.key);
        },
      };
    } catch (error) {
      leaveOperation();
      throw error;
    }
  }

  async refused(principal: Principal): Promise<Record<string, string>> {
    const { rate } = this.#limits[principal.kind];
    return rateHeaders(policy, rate, await this.#take(keyOf(principal), rate, 1));
  }

  /** Takes tokens and a place. */
  async #enter(key: string, rate: Rate, cost: number, places: Places, what: string): Promise<Decision> {
    let decision = await this.#take(key, rate, cost, places);
    if (decision.isFull && this.#shared.held.countOf(places.key) < places.max) {
      // some of the others' places may be free already: they tell of it a moment later
      await wait(lookAgainMs);
      decision = await this.#take(key, rate, cost, places);
    }
    if (decision.isAllowed) return decision;
    if (!decision.isFull) throw this.#refusal(rate, decision);
    this.#events.refused('concurrency');
    throw new LimitError(
      'concurrency_limited',
      `At most ${places.max} ${what} of one key may be in progress; try again when one has ended.`,
      { headers: rateHeaders(policy, rate, decision), retryAfterSeconds: 1 },
    );
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

  #refusal(rate: Rate, decision: Decision): LimitError {
    this.#events.refused('rate');
    return new LimitError(
      'rate_limited',
      `The limit of ${rate.perSecond} requests a second (${rate.burst} at once) of this key is reached; wait as long as Retry-After says.`,
      { headers: rateHeaders(policy, rate, decision), retryAfterSeconds: retryAfterSeconds(decision.retryAfterUs) },
    );
  }

  async #take(key: string, rate: Rate, cost: number, places?: Places): Promise<PlacedDecision> {
    const shared = await this.#shared.take(key, rate, cost, places);
    if (shared !== undefined) return shared;
    this.#events.decidedAlone();
    return this.#local.take(key, rate, cost, places);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared[Symbol.asyncDispose]();
  }
}
