import { WeirError } from '@weir/kit/errors';
import type { StartedService } from '@weir/kit/lifecycle';
import { startRpcServer } from '@weir/kit/rpc';
import { servedInPart } from '@weir/kit/testing';
import { type BatchOutcome, type CompleteRunsRequest, IngestionServiceDefinition } from '@weir/proto/ingestion';
import { type CalculationChange, type RecalculationReport, VariablesServiceDefinition } from '@weir/proto/variables';
import { TestCatalog } from './test-catalog.js';
import { silentLog } from './test-servers.js';

/** Keeps what processors tell of batches. */
export class TestRuns {
  /** By batch, the outcome that was told first; where it is told in parts, of each run the one that was. */
  readonly outcomes = new Map<number, BatchOutcome>();
  /** How many runs those batches have that are told of in parts. */
  readonly counts = new Map<number, number>();
  readonly attempts = new Map<number, number>();
  readonly bodies = new Map<number, Buffer>();
  completions = 0;
  /** The batches that were asked for, a list each time. */
  readonly asked: (readonly number[])[] = [];
  /** Public ids of batches that the database does not have, whatever their numbers. */
  readonly unknown = new Set<string>();
  /** The public ids that calls have said, by method. */
  readonly named = new Map<string, Set<string>>();
  onComplete: (request: CompleteRunsRequest) => Promise<void> | void = () => undefined;
  onBegin: (batchIds: readonly number[]) => Promise<void> | void = () => undefined;
  readonly #waiting: { readonly ids: readonly number[]; readonly resolve: () => void }[] = [];

  /** Waits until all of the batches are completed. */
  completed(ids: readonly number[]): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ ids, resolve });
      this.#tell();
    });
  }

  async complete(request: CompleteRunsRequest): Promise<object> {
    await this.onComplete(request);
    this.completions++;
    for (const outcome of request.batches) this.outcomes.set(outcome.id, this.#merged(outcome));
    this.#tell();
    return {};
  }

  #isCompleted(id: number): boolean {
    const told = this.outcomes.get(id);
    return told !== undefined && (told.indexes.length === 0 || told.indexes.length >= (this.counts.get(id) ?? 0));
  }

  /** What is known of a batch with what is new in a further outcome. */
  #merged(outcome: BatchOutcome): BatchOutcome {
    const told = this.outcomes.get(outcome.id);
    if (told === undefined) return outcome;
    if (this.#isCompleted(outcome.id)) return told;
    const known = new Set(told.indexes);
    return {
      ...told,
      indexes: [...told.indexes, ...outcome.indexes.filter((index) => !known.has(index))],
      deviations: [...told.deviations, ...outcome.deviations.filter(({ index }) => !known.has(index))],
    };
  }

  /** States and codes of the runs of a batch that deviate; undefined while it is not told of. */
  statesOf(id: number) {
    return this.outcomes.get(id)?.deviations.map(({ state, error }) => [state, error?.code]);
  }

  async begin(batchIds: readonly number[], publicIds: readonly string[]): Promise<{ attempts: number[] }> {
    this.#name('beginAttempts', publicIds);
    await this.onBegin(batchIds);
    const attempts = batchIds.map((id) => {
      if (this.#isCompleted(id)) return 0;
      const attempt = (this.attempts.get(id) ?? 0) + 1;
      this.attempts.set(id, attempt);
      return attempt;
    });
    return { attempts };
  }

  async takeBack(batchIds: readonly number[]): Promise<object> {
    for (const id of batchIds) this.attempts.set(id, (this.attempts.get(id) ?? 0) - 1);
    return {};
  }

  find(batchIds: readonly number[], publicIds: readonly string[]): { areQueued: boolean[] } {
    this.asked.push(batchIds);
    const isQueued = (id: number, at: number) => !this.outcomes.has(id) && !this.unknown.has(publicIds[at] ?? '');
    return { areQueued: batchIds.map(isQueued) };
  }

  getBody(id: number, publicId: string): { body: Buffer } {
    this.#name('getBatchBody', [publicId]);
    const body = this.bodies.get(id);
    if (body === undefined) throw new WeirError('not_found', 'There is no such batch.');
    return { body };
  }

  #name(method: string, publicIds: readonly string[]): void {
    const named = this.named.get(method) ?? new Set();
    this.named.set(method, named);
    for (const publicId of publicIds) named.add(publicId);
  }

  #tell(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.ids.every((id) => this.#isCompleted(id))) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }
}

/** The feed of what is to be calculated, and what it is told of recalculations. */
export class TestCalculations {
  /** Those that wait. */
  changes: CalculationChange[] = [];
  readonly reports: RecalculationReport[] = [];
  /** Called before each answer; may throw or wait. */
  onList: () => Promise<void> | void = () => undefined;
  onAcknowledge: (ids: readonly number[]) => Promise<void> | void = () => undefined;
  onReport: (reports: readonly RecalculationReport[]) => Promise<void> | void = () => undefined;
  readonly #waiting: { readonly isSo: () => boolean; readonly resolve: () => void }[] = [];

  /** Waits until something is so, which is looked at whenever a processor has called. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isSo, resolve });
      this.#tell();
    });
  }

  /** The last that was told of a run. */
  reported(runId: string): RecalculationReport | undefined {
    return this.reports.findLast((report) => report.runId === runId);
  }

  async list(limit: number, after: number): Promise<{ changes: CalculationChange[] }> {
    await this.onList();
    this.#tell();
    return { changes: this.changes.filter(({ id }) => id > after).slice(0, limit) };
  }

  async acknowledge(ids: readonly number[]): Promise<object> {
    await this.onAcknowledge(ids);
    this.changes = this.changes.filter(({ id }) => !ids.includes(id));
    this.#tell();
    return {};
  }

  async report(reports: readonly RecalculationReport[]): Promise<object> {
    await this.onReport(reports);
    this.reports.push(...reports);
    this.#tell();
    return {};
  }

  #tell(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.isSo()) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }
}

/** The services that a processor calls, with real gRPC and plain memory behind it. */
export interface TestPeers extends StartedService {
  readonly catalog: TestCatalog;
  readonly runs: TestRuns;
  readonly calculations: TestCalculations;
}

/** Starts the peers of a processor, both on one address; `ingestion` may have fewer methods than there are. */
export async function startPeers(
  listenAddress = '127.0.0.1:0',
  catalog = new TestCatalog(),
  runs = new TestRuns(),
  calculations = new TestCalculations(),
  ingestion = IngestionServiceDefinition,
): Promise<TestPeers> {
  const server = await startRpcServer({
    listenAddress,
    services: [
      servedInPart(VariablesServiceDefinition, {
        resolve: (request) => catalog.resolve(request),
        listVariables: (request) => catalog.list(request),
        listCalculationChanges: ({ limit, after }) => calculations.list(limit, after),
        acknowledgeCalculationChanges: ({ ids }) => calculations.acknowledge(ids),
        reportRecalculations: ({ reports }) => calculations.report(reports),
      }),
      servedInPart(ingestion, {
        completeRuns: (request) => runs.complete(request),
        beginAttempts: ({ batchIds, publicIds }) => runs.begin(batchIds, publicIds),
        takeBackAttempts: ({ batchIds }) => runs.takeBack(batchIds),
        findQueued: ({ batchIds, publicIds }) => Promise.resolve(runs.find(batchIds, publicIds)),
        getBatchBody: ({ id, publicId }) => Promise.resolve(runs.getBody(id, publicId)),
      }),
    ],
    isReady: () => Promise.resolve(),
    log: silentLog,
    drainMs: 0,
  });
  return Object.assign(server, { catalog, runs, calculations });
}
