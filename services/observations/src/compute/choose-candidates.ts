import type { Db } from '@weir/kit/sql';
import { type ComputedLane, markLanes } from '../domain/mark-lanes.js';
import { type Candidate, selectCandidates, selectUpstreamCandidates } from '../store/claims.js';
import { selectLiveKeys } from '../store/dirty.js';

/** Marked variables that are known at a time. */
const listMax = 10_000;
/** They are listed anew after so long. */
const listMs = 1000;
function takeOne<T>(items: T[]): T | undefined {
  const at = Math.floor(Math.random() * items.length);
  const [taken] = items.splice(at, 1);
  return taken;
}

/**
 * Those of the candidates that are computed from nothing that has itself something in the lane; where there is none, what
 * has to go before them. So each instant of a chain is computed once, when all that it is computed from is.
 */
async function firstInOrder(db: Db, lane: ComputedLane, candidates: readonly Candidate[]): Promise<Candidate[]> {
  if (candidates.every(({ isChained }) => isChained === false)) return [...candidates];
  const upstream = await selectUpstreamCandidates.all(db, { lane, variableKeys: candidates.map(keyOf) });
  const first = withoutRoots(candidates, upstream);
  if (first.length > 0 || upstream.length === 0) return first;
  // all that goes before: some of it comes first
  const before = [...new Map(upstream.map((one) => [one.variableKey, one] as const)).values()];
  const further = await selectUpstreamCandidates.all(db, { lane, variableKeys: before.map(keyOf) });
  const foremost = withoutRoots(before, further);
  // while a change of several variables is being taken over, these may seem to go in a circle
  return foremost.length > 0 ? foremost : before;
}

const keyOf = ({ variableKey }: Candidate): number => variableKey;

/** Those that nothing goes before. */
function withoutRoots(
  candidates: readonly Candidate[],
  upstream: readonly { readonly rootKey: number }[],
): Candidate[] {
  const waiting = new Set(upstream.map(({ rootKey }) => rootKey));
  return candidates.filter(({ variableKey }) => !waiting.has(variableKey));
}

/** Chooses what is computed next for live points: all variables have their turn. */
export class LiveChoice {
  #afterKey = 0;

  /** At most so many; none when there is nothing to do. Tells whether these are all that there are. */
  async next(db: Db, max: number): Promise<{ readonly candidates: Candidate[]; readonly isAll: boolean }> {
    const lane = markLanes.live;
    const found = await selectCandidates.all(db, { lane, afterKey: this.#afterKey, limit: max });
    if (found.length < max && this.#afterKey > 0) {
      const known = new Set(found.map(({ variableKey }) => variableKey));
      const more = await selectCandidates.all(db, { lane, afterKey: 0, limit: max - found.length });
      found.push(...more.filter(({ variableKey }) => !known.has(variableKey)));
    }
    this.#afterKey = found.length < max ? 0 : (found.at(-1)?.variableKey ?? 0);
    const candidates = (await firstInOrder(db, lane, found)).slice(0, max);
    return { candidates, isAll: found.length < max && found.every((one) => candidates.includes(one)) };
  }
}

/** Chooses what is computed next for recalculations: projects have their turns alike, however much they have to be computed. */
export class RecalculationChoice {
  readonly #byProject = new Map<string, Candidate[]>();
  #listedMs = Number.NEGATIVE_INFINITY;
  #afterKey = 0;

  async #list(db: Db): Promise<void> {
    this.#byProject.clear();
    const lane = markLanes.recalculation;
    let found = await selectCandidates.all(db, { lane, afterKey: this.#afterKey, limit: listMax });
    if (found.length === 0 && this.#afterKey > 0) {
      found = await selectCandidates.all(db, { lane, afterKey: 0, limit: listMax });
    }
    this.#afterKey = found.length < listMax ? 0 : (found.at(-1)?.variableKey ?? 0);
    for (const [projectId, ofProject] of Map.groupBy(found, ({ projectId }) => projectId)) {
      this.#byProject.set(projectId, ofProject);
    }
    this.#listedMs = performance.now();
  }

  /** One variable; undefined when there is nothing, `later` when live points wait for all that there is. */
  async next(db: Db): Promise<Candidate | 'later' | undefined> {
    if (this.#byProject.size === 0 || performance.now() - this.#listedMs > listMs) await this.#list(db);
    for (let isLater = false; ; isLater = true) {
      const candidate = this.#take();
      if (candidate === undefined) return isLater ? 'later' : undefined;
      const first = takeOne(await firstInOrder(db, markLanes.recalculation, [candidate]));
      const { variableKey } = first ?? candidate;
      const live = await selectLiveKeys.all(db, { variableKeys: [variableKey] });
      if (live.length === 0) return first ?? candidate;
    }
  }

  #take(): Candidate | undefined {
    const projectId = takeOne([...this.#byProject.keys()]);
    const ofProject = this.#byProject.get(projectId ?? '') ?? [];
    const candidate = takeOne(ofProject);
    if (projectId !== undefined && ofProject.length === 0) this.#byProject.delete(projectId);
    return candidate;
  }
}
