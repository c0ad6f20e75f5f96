import { type Decision, intervalUsOf, type Rate } from './gcra.js';
import type { Places } from './held-places.js';

/** A question begins so long after the one before at the earliest, in milliseconds: under load they are fewer, and larger. */
const questionMs = 3;
/** As many callers as these have waited for company long enough: the question costs hardly more with others. */
const callersMax = 16;

/** What is asked of a rate at once: `cost` tokens for each of `count` callers, and a place for each where there are some. */
export interface Order {
  readonly key: string;
  readonly rate: Rate;
  readonly cost: number;
  readonly places: Places | undefined;
  readonly count: number;
}

/** What one caller is told. */
export interface PlacedDecision extends Decision {
  /** It was a place that was wanting, not tokens. */
  readonly isFull: boolean;
}

/** The first `allowed` callers of an order got what they asked for; the rest is as it stands after them. */
export interface Taken extends Omit<PlacedDecision, 'isAllowed'> {
  readonly allowed: number;
}

interface Gathered extends Omit<Order, 'count'> {
  readonly callers: {
    readonly resolve: (decision: PlacedDecision) => void;
    readonly reject: (error: unknown) => void;
  }[];
}

/** What the caller at a place of an order is told: just what it would have been told, had each asked alone, in turn. */
function decisionAt(place: number, { rate, cost }: Gathered, taken: Taken): PlacedDecision {
  const { allowed, remaining, retryAfterUs, resetUs, isFull } = taken;
  if (place >= allowed) return { isAllowed: false, remaining, retryAfterUs, resetUs, isFull };
  const later = (allowed - 1 - place) * cost;
  return {
    isAllowed: true,
    remaining: remaining + later,
    retryAfterUs: 0,
    resetUs: resetUs - later * intervalUsOf(rate),
    isFull: false,
  };
}

/**
 * Asks for the tokens and places of many callers at once: those of one turn of the event loop, or those who came while an
 * answer was waited for or since the last question, at one question a rate. No token is held beyond its caller, so that what is admitted stays exact.
 */
export class GatheredTakes {
  readonly #ask: (orders: readonly Order[]) => Promise<readonly (Taken | Error)[]>;
  #gathered = new Map<string, Gathered>();
  #callers = 0;
  #waiting: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isWanted = false;
  #askedMs = Number.NEGATIVE_INFINITY;

  /** @param ask - answers orders in their order, each by what was taken or why that cannot be told; never asked twice at a time */
  constructor(ask: (orders: readonly Order[]) => Promise<readonly (Taken | Error)[]>) {
    this.#ask = ask;
  }

  /** Takes `cost` tokens of a rate, and a place where there are some: both or neither. */
  take(key: string, rate: Rate, cost: number, places?: Places): Promise<PlacedDecision> {
    const name = `${cost} ${key} ${places?.key}`;
    let gathered = this.#gathered.get(name);
    if (gathered === undefined) {
      gathered = { key, rate, cost, places, callers: [] };
      this.#gathered.set(name, gathered);
    }
    const { promise, resolve, reject } = Promise.withResolvers<PlacedDecision>();
    gathered.callers.push({ resolve, reject });
    this.#callers++;
    this.askSoon();
    return promise;
  }

  /** Has a question go, even with no order. */
  askSoon(): void {
    this.#isWanted = true;
    if (this.#isAsking) return;
    const earlyMs = this.#askedMs + questionMs - performance.now();
    if (earlyMs > 0 && this.#callers < callersMax) {
      this.#waiting ??= setTimeout(() => void this.#askAll(), earlyMs);
      return;
    }
    clearTimeout(this.#waiting);
    this.#isAsking = true;
    setImmediate(() => void this.#askAll());
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    this.#isWanted = false;
    this.#waiting = undefined;
    this.#callers = 0;
    this.#askedMs = performance.now();
    const all = [...this.#gathered.values()];
    this.#gathered = new Map();
    const orders = all.map(({ callers, ...order }) => ({ ...order, count: callers.length }));
    const answers = await this.#ask(orders).catch((error: Error) => orders.map(() => error));
    for (const [index, gathered] of all.entries()) {
      const taken = answers[index] ?? new Error('a rate was not answered');
      for (const [place, { resolve, reject }] of gathered.callers.entries()) {
        if (taken instanceof Error) reject(taken);
        else resolve(decisionAt(place, gathered, taken));
      }
    }
    this.#isAsking = false;
    if (this.#isWanted) this.askSoon();
  }
}
