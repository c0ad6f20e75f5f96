import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable } from '@weir/kit/errors';

/** How much of something there is. */
export interface Load {
  readonly submissions: number;
  readonly points: number;
  readonly bytes: number;
}

/** What bounds a group commit. */
export interface GroupCommitLimits {
  /** Commits at a time. */
  readonly lanes: number;
  /** Of one commit; what is larger from the start goes alone. */
  readonly group: Load;
  /** Of what waits for a commit. */
  readonly waiting: Omit<Load, 'points'>;
}

interface Waiting<T, R> {
  readonly items: readonly T[];
  readonly load: Load;
  readonly signal: AbortSignal;
  /** Runs in the trace of the call that waits. */
  readonly runInContext: <F>(work: () => F) => F;
  readonly resolve: (results: R[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits together what waits: while a lane is busy, calls gather, and the next commit takes as
 * many of them as its limits allow. No timer: a lone call goes at once. The items of one call are
 * never split, so that a call is committed whole or not at all.
 */
export class GroupCommit<T, R> {
  readonly #commit: (items: readonly T[]) => Promise<R[]>;
  readonly #limits: GroupCommitLimits;
  #queue: Waiting<T, R>[] = [];
  #waiting = { submissions: 0, bytes: 0 };
  #busyLanes = 0;

  constructor(limits: GroupCommitLimits, commit: (items: readonly T[]) => Promise<R[]>) {
    this.#limits = limits;
    this.#commit = commit;
  }

  /**
   * Commits items, with what else waits.
   *
   * @param signal - once aborted, items that still wait are not committed
   * @returns a result an item, in order
   * @throws WeirError `dependency_unavailable` when too much waits
   */
  submit(items: readonly T[], load: Load, signal: AbortSignal): Promise<R[]> {
    const { waiting } = this.#limits;
    if (
      this.#waiting.submissions + load.submissions > waiting.submissions ||
      this.#waiting.bytes + load.bytes > waiting.bytes
    ) {
      return Promise.reject(unavailable('The ingestion service is overloaded; send the request again in a moment.'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<R[]>();
    const runInContext = AsyncLocalStorage.snapshot();
    this.#queue.push({ items, load, signal, runInContext, resolve, reject });
    this.#waiting.submissions += load.submissions;
    this.#waiting.bytes += load.bytes;
    if (this.#busyLanes < this.#limits.lanes) void this.#runLane();
    return promise;
  }

  async #runLane(): Promise<void> {
    this.#busyLanes++;
    for (let group = this.#takeGroup(); group.length > 0; group = this.#takeGroup()) await this.#commitGroup(group);
    this.#busyLanes--;
  }

  /** Takes from the queue what one commit may hold; what was aborted meanwhile falls out. */
  #takeGroup(): Waiting<T, R>[] {
    const { group: max } = this.#limits;
    const group: Waiting<T, R>[] = [];
    const sum = { submissions: 0, points: 0, bytes: 0 };
    let seen = 0;
    for (const waiting of this.#queue) {
      const { load } = waiting;
      const fits =
        sum.submissions + load.submissions <= max.submissions &&
        sum.points + load.points <= max.points &&
        sum.bytes + load.bytes <= max.bytes;
      if (!fits && group.length > 0) break;
      seen++;
      this.#waiting.submissions -= load.submissions;
      this.#waiting.bytes -= load.bytes;
      if (waiting.signal.aborted) {
        waiting.reject(unavailable('The caller went away or its time is up.'));
        continue;
      }
      group.push(waiting);
      sum.submissions += load.submissions;
      sum.points += load.points;
      sum.bytes += load.bytes;
    }
    this.#queue.splice(0, seen);
    return group;
  }

  async #commitGroup(group: readonly Waiting<T, R>[]): Promise<void> {
    const [first] = group;
    try {
      const items = group.flatMap((waiting) => waiting.items);
      const results = await first?.runInContext(() => this.#commit(items));
      let at = 0;
      for (const { items: own, resolve } of group) resolve((results ?? []).slice(at, (at += own.length)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
