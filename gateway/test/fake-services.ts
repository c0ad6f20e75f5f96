import { notFound, WeirError } from '@weir/kit/errors';
import { newId, parseRunId, runId } from '@weir/kit/ids';
import { createKey, type KeyKind, parseKey } from '@weir/kit/keys';
import { formatInstant } from '@weir/kit/time';
import { packedCount } from '@weir/points';
import type { AccessServiceImplementation, Connection, DeveloperKey } from '@weir/proto/access';
import { type IngestionServiceImplementation, type Run, RunState, type Submission } from '@weir/proto/ingestion';
import type { ObservationsServiceImplementation } from '@weir/proto/observations';
import type { Recalculation, Variable, VariablesServiceImplementation } from '@weir/proto/variables';

/** Services of a test's own: what they know is set by the test, and they keep what they were asked. */
export class FakeServices {
  readonly organizationId = newId();
  readonly projectId = newId();
  /** Key ids that the access service was asked about. */
  readonly lookups: string[] = [];
  readonly admitted: Submission[][] = [];
  readonly runs: Run[] = [];
  readonly recalculations: Recalculation[] = [];
  readonly variables: Variable[] = [];
  /** Ids of the instruments of groups, by their ids. */
  readonly groups = new Map<string, readonly string[]>();
  /** Observations by variable key, in ascending time: microseconds and value. */
  readonly observations = new Map<number, [number, number][]>();
  /** Thrown by every method of the ingestion, variables and observations services when set. */
  failure: WeirError | undefined;
  /** Answers (or errors, which are thrown) of methods that are not faked otherwise, by name; they are kept in `asked`. */
  readonly answers = new Map<string, unknown>();
  readonly asked: { readonly method: string; readonly request: unknown }[] = [];

  readonly #developers = new Map<string, DeveloperKey>();
  readonly #connections = new Map<string, Connection>();
  readonly #secrets = new Map<string, Buffer>();
  readonly #batches = new Map<string, string>();

  /** Makes a Developer API key and answers its text. */
  developerKey(permissions: readonly string[], projectId = this.projectId): string {
    const id = newId();
    const key = { id, projectId, name: 'test', permissions: [...permissions], createdAtUs: 0, secrets: [] };
    this.#developers.set(id, key);
    return this.#newKey('developer', id);
  }

  /** Makes an ingestion connection and answers its key. */
  connectionKey(
    options: { readonly enabled?: boolean; readonly provisioning?: string; readonly projectId?: string } = {},
  ): string {
    const id = newId();
    const { enabled = true, provisioning = 'automatic', projectId = this.projectId } = options;
    const connection = {
      id,
      projectId,
      name: 'test',
      provisioning,
      enabled,
      createdAtUs: 0,
      secrets: [],
    };
    this.#connections.set(id, connection);
    return this.#newKey('ingestion', id);
  }

  revoke(key: string): void {
    this.#secrets.delete(parseKey(key)?.id ?? '');
  }

  /** Makes a variable of an instrument, with observations at whole seconds. */
  variable(instrumentId: string, observations: readonly (readonly [number, number])[], unit?: string): Variable {
    const variableKey = this.variables.length + 1;
    const variable: Variable = {
      id: newId(),
      variableKey,
      projectId: this.projectId,
      instrumentId,
      name: `v${variableKey}`,
      alias: `v${variableKey}`,
      variableType: 'ingested',
      unit,
      isTimeVariable: false,
      configurationGeneration: 1,
      valueType: 'decimal',
      viewOptionsJson: '{}',
      revision: 1,
      createdAtUs: 0,
      updatedAtUs: 0,
      lifecycle: undefined,
      calculations: [],
    };
    this.variables.push(variable);
    this.observations.set(
      variableKey,
      observations.map(([second, value]) => [second * 1_000_000, value]),
    );
    return variable;
  }

  #newKey(kind: KeyKind, id: string): string {
    const key = createKey(kind, id);
    this.#secrets.set(id, key.secretSha256);
    return key.plaintext;
  }

  #lookUp<T>(known: ReadonlyMap<string, T>, key: { keyId: string; secretSha256: Buffer } | undefined): T {
    this.lookups.push(key?.keyId ?? '');
    const found = known.get(key?.keyId ?? '');
    if (found === undefined || key === undefined || this.#secrets.get(key.keyId)?.equals(key.secretSha256) !== true)
      throw new WeirError('invalid_credential', 'a reason that nobody shall see');
    return found;
  }

  async *#export(request: unknown) {
    await Promise.resolve();
    this.#mayFail();
    this.asked.push({ method: 'exportObservations', request });
    yield { text: Buffer.from('{}\n') };
  }

  readonly access: Partial<AccessServiceImplementation> = {
    authenticateDeveloperKey: async ({ key }) => {
      const found = this.#lookUp(this.#developers, key);
      return { organizationId: this.organizationId, projectId: found.projectId, key: found };
    },
    authenticateIngestionKey: async ({ key }) => ({
      organizationId: this.organizationId,
      connection: this.#lookUp(this.#connections, key),
    }),
  };

  readonly ingestion: Partial<IngestionServiceImplementation> = {
    admit: async ({ submissions }) => {
      this.#mayFail();
      this.admitted.push(submissions);
      return { admissions: submissions.map((submission) => this.#admit(submission)) };
    },
    listRuns: async ({ scope, state, after, limit, createdAfterUs = -Infinity, createdBeforeUs = Infinity }) => {
      this.#mayFail();
      const found = this.runs
        .filter((run) => run.projectId === scope?.projectId)
        .filter((run) => scope?.connectionId === '' || run.connectionId === scope?.connectionId)
        .filter((run) => state === RunState.UNSPECIFIED || run.state === state)
        .filter((run) => createdAfterUs <= run.createdAtUs && run.createdAtUs < createdBeforeUs)
        .filter((run) => after === '' || run.runId < after)
        .sort((a, b) => (a.runId < b.runId ? 1 : -1));
      const runs = found.slice(0, limit).map((run) => ({ ...run, variables: [] }));
      return { runs, nextAfter: found.length > limit ? (runs.at(-1)?.runId ?? '') : '' };
    },
    getRun: async ({ scope, runId: id }) => {
      const run = this.runs.find((each) => each.runId === id && each.projectId === scope?.projectId);
      if (run === undefined || (scope?.connectionId !== '' && scope?.connectionId !== run.connectionId))
        throw notFound('run');
      return { run };
    },
  };

  #mayFail(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  #admit(submission: Submission) {
    const { projectId, connectionId, idempotencyKey, body } = submission;
    const count = packedCount(body);
    const known = this.#batches.get(`${connectionId} ${idempotencyKey}`);
    if (idempotencyKey !== '' && known !== undefined) {
      const states = Buffer.alloc(count, RunState.SUCCEEDED);
      return { batchId: known, count, replayed: true, states };
    }
    const { batchId } = parseRunId(newId());
    this.#batches.set(`${connectionId} ${idempotencyKey}`, batchId);
    for (let index = 0; index < count; index++) {
      this.runs.push({
        runId: runId(batchId, index),
        projectId,
        connectionId,
        kind: 'ingestion',
        state: RunState.QUEUED,
        attempts: 0,
        createdAtUs: Number.parseInt(batchId.slice(0, 8) + batchId.slice(9, 13), 16) * 1000,
        variables: [{ name: 'level', outcome: 'queued' }],
        instrumentName: 'gauge',
        instrumentTimestampUs: 0,
        fileRunId: '',
      });
    }
    return { batchId, count, replayed: false, states: Buffer.alloc(0) };
  }

  readonly catalog: Partial<VariablesServiceImplementation> = {
    listVariables: async ({ projectId, variableIds, instrumentId, groupId, includeArchived }) => {
      this.#mayFail();
      const visible = this.variables
        .filter((variable) => variable.projectId === projectId)
        .filter((variable) => includeArchived || variable.lifecycle?.state !== 'archived');
      if (groupId !== '') {
        const members = this.groups.get(groupId);
        if (members === undefined) throw notFound('group');
        return { variables: visible.filter((variable) => members.includes(variable.instrumentId)) };
      }
      if (instrumentId === '')
        return { variables: variableIds.flatMap((id) => visible.filter((variable) => variable.id === id)) };
      const ofInstrument = visible.filter((variable) => variable.instrumentId === instrumentId);
      if (ofInstrument.length === 0) throw notFound('instrument');
      return { variables: ofInstrument };
    },
    listRecalculations: async ({
      projectId,
      state,
      after,
      limit,
      createdAfterUs = -Infinity,
      createdBeforeUs = Infinity,
    }) => ({
      recalculations: this.recalculations
        .filter((run) => run.projectId === projectId && (state === '' || run.state === state))
        .filter((run) => createdAfterUs <= run.createdAtUs && run.createdAtUs < createdBeforeUs)
        .filter((run) => after === '' || run.runId < after)
        .sort((a, b) => (a.runId < b.runId ? 1 : -1))
        .slice(0, limit),
    }),
    getRecalculation: async ({ projectId, runId: id }) => {
      const recalculation = this.recalculations.find((run) => run.runId === id && run.projectId === projectId);
      if (recalculation === undefined) throw notFound('run');
      return { recalculation };
    },
  };

  readonly query: Partial<ObservationsServiceImplementation> = {
    exportObservations: (request) => this.#export(request),
    listObservations: async (request) => {
      const { variableKeys, startUs = -Infinity, endUs = Infinity, descending, limit, after, changedSince } = request;
      this.#mayFail();
      this.asked.push({ method: 'listObservations', request });
      const rows = variableKeys.flatMap((key, seriesIndex) => {
        const series = (this.observations.get(key) ?? []).filter(([atUs]) => startUs <= atUs && atUs < endUs);
        if (descending) series.reverse();
        return series
          .filter(([atUs]) => {
            if (after === undefined || seriesIndex > after.seriesIndex) return true;
            return seriesIndex === after.seriesIndex && (descending ? atUs < after.atUs : atUs > after.atUs);
          })
          .map(([atUs, value]) => ({ key, seriesIndex, atUs, value }));
      });
      const page = rows.slice(0, limit);
      const series = [...Map.groupBy(page, (row) => row.key)].map(([variableKey, found]) => ({
        variableKey,
        count: found.length,
        timestampsJson: JSON.stringify(found.map((row) => formatInstant(row.atUs))),
        valuesJson: JSON.stringify(found.map((row) => row.value)),
        changedRanges: changedSince === undefined ? [] : [{ startUs: 1_000_000, endUs: 5_000_001 }],
      }));
      // a mark of its own each time, as the service has
      const changeMark = `10:10: ${this.asked.length}`;
      return { series, nextAfter: rows.length > limit ? page.at(-1) : undefined, changeMark };
    },
    getLatestObservations: async ({ variableKeys, asOfUs = Infinity }) => ({
      observations: variableKeys.flatMap((variableKey) => {
        const last = (this.observations.get(variableKey) ?? []).findLast(([atUs]) => atUs <= asOfUs);
        return last === undefined ? [] : [{ variableKey, atUs: last[0], value: last[1] }];
      }),
    }),
  };
}
