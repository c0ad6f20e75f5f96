import { type Lane, lanes, shardCount } from '@weir/kit/nats';
import { type Delivery, isMergeable } from './delivery.js';

/** After so many turns of the live lane the bulk lane has one, if it waits. */
const liveTurnsMax = 4;
/** Messages of one shard that wait at most, and at least where they are large. */
const waiting = { max: 64, min: 2 } as const;
/**
 * A turn begins so long after the one before at the earliest, in milliseconds, unless there is enough for a whole merge, or a shard
 * without room for more: a merge costs nearly the same for one request and for many, so that under load far more are processed for
 * some milliseconds of waiting. Longer the more requests come, since where they are many and small merges are most of the work: by
 * the root of how many the turn before had, which settles at 12 ms for each hundred a second from either side (in proportion to
 * that number, turns would grow or shrink to their bounds). But three times as long as a merge takes at most: with a third of the
 * time for merges, little is left to gain. And only that share of it which a merge costs by itself, beside its points.
 */
const turnMs = { min: 10, max: 90, perRootOfRequests: 11, perMergeMs: 3 } as const;
/** What a merge costs by itself, in points: a thousand of them gain little by company, and would wait for it. */
const weightOfMerge = 500;
/** What a message is thought to weigh before the first one came. */
const weightExpected = 1000;

/** The messages of one shard that wait. */
interface Queue {
  readonly deliveries: Delivery[];
  /** Of the message that came last: what further ones will have, more or less. */
  lastWeight: number;
  /** Tells the one who waits for room. */
  onRoom: () => void;
}

function weightOf(deliveries: readonly Delivery[]): number {
  return deliveries.reduce((sum, { weight }) => sum + weight, 0);
}

function emptyQueues(): Queue[] {
  return Array.from({ length: shardCount }, () => ({
    deliveries: [],
    lastWeight: weightExpected,
    onRoom: () => undefined,
  }));
}

/**
 * The messages that wait in this process, a queue for each shard of each lane. Shards have their turn
 * one after the other, message by message, so that no project delays those of other shards; live
 * points go before bulk, and bulk is never starved.
 */
export class Turns {
  /** Of a merge, unless one message weighs more. */
  readonly #weightMax: number;
  readonly #queues: Readonly<Record<Lane, readonly Queue[]>> = { live: emptyQueues(), bulk: emptyQueues() };
  readonly #all = Object.values(this.#queues).flat();
  readonly #nextShard: Record<Lane, number> = { live: 0, bulk: 0 };
  readonly #takers = new Set<() => void>();
  #weight = 0;
  /** The next turn begins no earlier, unless there is enough. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** How long the last merge took. */
  #mergeMs = 0;
  #liveTurns = 0;
  #isClosed = false;

  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  /**
   * Waits until a shard has room, and answers for how many messages: about two merges of them may
   * wait, so that small messages are merged in numbers and large ones do not fill the memory. 0 once
   * closed.
   */
  async room(lane: Lane, shard: number): Promise<number> {
    const queue = this.#queue(lane, shard);
    while (!this.#isClosed && !this.#hasRoom(queue)) {
      await new Promise<void>((resolve) => {
        queue.onRoom = resolve;
      });
    }
    return this.#isClosed ? 0 : this.#limit(queue) - queue.deliveries.length;
  }

  put(lane: Lane, shard: number, delivery: Delivery): void {
    const queue = this.#queue(lane, shard);
    queue.deliveries.push(delivery);
    queue.lastWeight = delivery.weight;
    this.#weight += delivery.weight;
    if (!this.#isEarly) this.#wake();
  }

  /** Waits for what is to be processed next, in one transaction; undefined once closed. */
  async take(): Promise<Delivery[] | undefined> {
    while (!this.#isClosed) {
      if (this.#isEarly) {
        await this.#woken(Math.max(0, this.#nextMs - performance.now()));
        continue;
      }
      const taken = this.#takeNext();
      if (taken.length > 0) {
        this.#nextMs = performance.now() + this.#pauseMs(taken);
        this.#weight -= weightOf(taken);
        return taken;
      }
      await this.#woken();
    }
    return undefined;
  }

  /** Notes how long it took to process what was taken, in milliseconds. */
  noteMerge(ms: number): void {
    this.#mergeMs = ms;
  }

  /** Ends all waiting; nothing is taken any more. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
    for (const queue of this.#all) queue.onRoom();
  }

  /** What nobody took. */
  get rest(): Delivery[] {
    return this.#all.flatMap(({ deliveries }) => deliveries);
  }

  /** How long the turn after one that took these waits for company. */
  #pauseMs(taken: readonly Delivery[]): number {
    const requests = taken.reduce((sum, { batches }) => sum + batches.length, 0);
    const worthMs = Math.min(Math.sqrt(requests) * turnMs.perRootOfRequests, this.#mergeMs * turnMs.perMergeMs);
    const share = weightOfMerge / (weightOfMerge + weightOf(taken) / Math.max(requests, 1));
    return Math.min(Math.max(worthMs, turnMs.min), turnMs.max) * share;
  }

  /** Whether a turn should wait for company. */
  get #isEarly(): boolean {
    if (performance.now() >= this.#nextMs || this.#weight >= this.#weightMax) return false;
    return this.#all.every((queue) => this.#hasRoom(queue));
  }

  /** Waits until there may be something to take, but not beyond a time. */
  #woken(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      this.#takers.add(resolve);
      if (ms === undefined) return;
      setTimeout(() => {
        this.#takers.delete(resolve);
        resolve();
      }, ms);
    });
  }

  #wake(): void {
    for (const wake of this.#takers) wake();
    this.#takers.clear();
  }

  #queue(lane: Lane, shard: number): Queue {
    return this.#queues[lane][shard] as Queue;
  }

  #limit({ lastWeight }: Queue): number {
    const twoMerges = Math.ceil((2 * this.#weightMax) / Math.max(lastWeight, 1));
    return Math.min(Math.max(twoMerges, waiting.min), waiting.max);
  }

  #hasRoom(queue: Queue): boolean {
    return queue.deliveries.length <= this.#limit(queue) / 2;
  }

  #takeNext(): Delivery[] {
    const isBulkTurn = this.#liveTurns >= liveTurnsMax;
    for (const lane of isBulkTurn ? lanes.toReversed() : lanes) {
      const taken = this.#takeFromLane(lane);
      if (taken.length === 0) continue;
      this.#liveTurns = lane === 'live' ? this.#liveTurns + 1 : 0;
      return taken;
    }
    return [];
  }

  #takeFromLane(lane: Lane): Delivery[] {
    const taken: Delivery[] = [];
    let weight = 0;
    for (let passed = 0; passed < shardCount; passed++) {
      const shard = this.#nextShard[lane];
      const queue = this.#queue(lane, shard);
      const head = queue.deliveries[0];
      if (head !== undefined) {
        const isAlone = !isMergeable(head);
        // a shard whose head does not fit keeps its turn until the next merge
        if (taken.length > 0 && (isAlone || weight + head.weight > this.#weightMax)) break;
        taken.push(head);
        queue.deliveries.shift();
        if (this.#hasRoom(queue)) queue.onRoom();
        weight += head.weight;
        passed = -1;
        if (isAlone) weight = Number.POSITIVE_INFINITY;
      }
      this.#nextShard[lane] = (shard + 1) % shardCount;
    }
    return taken;
  }
}
