import { shardCount } from '@weir/kit/nats';
import { type Delivery, isMergeable } from './delivery.js';

/** Lanes by urgency. */
const live = 0;
const bulk = 1;
const laneCount = 2;
/** After so many turns of the live lane the bulk lane has one, if it waits. */
const liveTurnsMax = 4;
/** Messages of one shard that wait at most. */
const waitingMax = 16;

/**
 * The messages that wait in this process, a queue for each shard of each lane. Shards have their turn
 * one after the other, message by message, so that no project delays those of other shards; live
 * points go before bulk, and bulk is never starved.
 */
export class Turns {
  readonly #pointsMax: number;
  readonly #queues: Delivery[][][] = Array.from({ length: laneCount }, () =>
    Array.from({ length: shardCount }, () => []),
  );
  readonly #nextShard = [0, 0];
  readonly #takers: (() => void)[] = [];
  readonly #putters = new Map<Delivery[], () => void>();
  #liveTurns = 0;
  #isClosed = false;

  constructor(pointsMax: number) {
    this.#pointsMax = pointsMax;
  }

  /** Waits until a shard has room, and answers for how many messages; 0 once closed. */
  async room(lane: number, shard: number): Promise<number> {
    const queue = this.#queue(lane, shard);
    while (!this.#isClosed && queue.length > waitingMax / 2) {
      await new Promise<void>((resolve) => this.#putters.set(queue, resolve));
    }
    return this.#isClosed ? 0 : waitingMax - queue.length;
  }

  put(lane: number, shard: number, delivery: Delivery): void {
    this.#queue(lane, shard).push(delivery);
    this.#takers.shift()?.();
  }

  /** Waits for what is to be processed next, in one transaction; undefined once closed. */
  async take(): Promise<Delivery[] | undefined> {
    while (!this.#isClosed) {
      const taken = this.#takeNext();
      if (taken.length > 0) return taken;
      await new Promise<void>((resolve) => this.#takers.push(resolve));
    }
    return undefined;
  }

  /** Ends all waiting; nothing is taken any more. */
  close(): void {
    this.#isClosed = true;
    for (const wake of [...this.#takers.splice(0), ...this.#putters.values()]) wake();
  }

  /** What nobody took. */
  get rest(): Delivery[] {
    return this.#queues.flat(2);
  }

  #queue(lane: number, shard: number): Delivery[] {
    return this.#queues[lane]?.[shard] as Delivery[];
  }

  #takeNext(): Delivery[] {
    const isBulkTurn = this.#liveTurns >= liveTurnsMax;
    for (const lane of isBulkTurn ? [bulk, live] : [live, bulk]) {
      const taken = this.#takeFromLane(lane);
      if (taken.length === 0) continue;
      this.#liveTurns = lane === live ? this.#liveTurns + 1 : 0;
      return taken;
    }
    return [];
  }

  #takeFromLane(lane: number): Delivery[] {
    const taken: Delivery[] = [];
    let points = 0;
    for (let passed = 0; passed < shardCount; passed++) {
      const shard = this.#nextShard[lane] as number;
      const queue = this.#queue(lane, shard);
      const head = queue[0];
      if (head !== undefined) {
        const isAlone = !isMergeable(head);
        // a shard whose head does not fit keeps its turn until the next merge
        if (taken.length > 0 && (isAlone || points + head.points > this.#pointsMax)) break;
        taken.push(head);
        queue.shift();
        if (queue.length <= waitingMax / 2) this.#putters.get(queue)?.();
        points += head.points;
        passed = -1;
        if (isAlone) points = Number.POSITIVE_INFINITY;
      }
      this.#nextShard[lane] = (shard + 1) % shardCount;
    }
    return taken;
  }
}
