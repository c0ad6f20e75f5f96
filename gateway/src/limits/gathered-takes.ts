import { type Decision, intervalUsOf, type Rate } from './gcra.js';

/** What is asked of a rate at once: `cost` tokens for each of `count` callers. */
export interface Order {
  readonly key: string;
  readonly rate: Rate;
  readonly cost: number;
  readonly count: number;
}

/** The first `allowed` callers of an order got their tokens; the rest is as it stands after them. */
export interface Taken extends Omit<Decision, 'isAllowed'> {
  readonly allowed: number;
}

interface Gathered extends Omit<Order, 'count'> {
  readonly callers: { readonly resolve: (decision: Decision) => void; readonly reject: (error: unknown) => void }[];
}

/** What the caller at a place of an order is told: just what it would have been told, had each asked alone, in turn. */
function decisionAt(place: number, { rate, cost }: Gathered, taken: Taken): Decision {
  const { allowed, remaining, retryAfterUs, resetUs } = taken;
  if (place >= allowed) return { isAllowed: false, remaining, retryAfterUs, resetUs };
  const later = (allowed - 1 - place) * cost;
  return {
    isAllowed: true,
    remaining: remaining + later,
    retryAfterUs: 0,
    resetUs: resetUs - later * intervalUsOf(rate),
  };
}

/**
 * Asks for the tokens of many callers at once: those of one turn of the event loop, and those who came while an
 * answer was waited for, at one question a rate. No token is held beyond its caller, so that what is admitted stays exact.
 */
export class GatheredTakes {
  readonly #ask: (orders: readonly Order[]) => Promise<readonly (Taken | Error)[]>;
  #gathered = new Map<string, Gathered>();
  #isAsking = false;

  /** @param ask - answers orders in their order, each by what was taken or why that cannot be told */
  constructor(ask: (orders: readonly Order[]) => Promise<readonly (Taken | Error)[]>) {
    this.#ask = ask;
  }

  /** Takes `cost` tokens of a rate. */
  take(key: string, rate: Rate, cost: number): Promise<Decision> {
    const name = `${cost} ${key}`;
    let gathered = this.#gathered.get(name);
    if (gathered === undefined) {
      gathered = { key, rate, cost, callers: [] };
      this.#gathered.set(name, gathered);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    gathered.callers.push({ resolve, reject });
    if (!this.#isAsking) this.#askSoon();
    return promise;
  }

  #askSoon(): void {
    this.#isAsking = true;
    setImmediate(() => void this.#askAll());
  }

  async #askAll(): Promise<void> {
    const all = [...this.#gathered.values()];
    this.#gathered = new Map();
    const orders = all.map(({ key, rate, cost, callers }) => ({ key, rate, cost, count: callers.length }));
    const answers = await this.#ask(orders).catch((error: Error) => orders.map(() => error));
    for (const [index, gathered] of all.entries()) {
      const taken = answers[index] ?? new Error('a rate was not answered');
      for (const [place, { resolve, reject }] of gathered.callers.entries()) {
        if (taken instanceof Error) reject(taken);
        else resolve(decisionAt(place, gathered, taken));
      }
    }
    this.#isAsking = false;
    if (this.#gathered.size > 0) this.#askSoon();
  }
}
