import { recalculationErrorMessage } from '@weir/kit/run-codes';
import { toRunStateWord } from '@weir/kit/run-states';
import { formatInstant } from '@weir/kit/time';
import type { Connection, DeveloperKey, Organization, Project, Secret } from '@weir/proto/access';
import type { FileDetails, Run, RunState } from '@weir/proto/ingestion';
import type { Recalculation } from '@weir/proto/variables';

/** An instant as it is printed; null when there is none. */
export const toInstant = (us: number | undefined): string | null => (us === undefined ? null : formatInstant(us));

/** An organization as it is printed. */
export function toOrganization({ id, name, createdAtUs }: Organization) {
  return { id, name, created_at: formatInstant(createdAtUs) };
}

/** A project as it is printed. */
export function toProject({ id, organizationId, name, createdAtUs }: Project) {
  return { id, organization_id: organizationId, name, created_at: formatInstant(createdAtUs) };
}

/** One secret of a key as it is printed. */
export function toSecret({ id, hint, createdAtUs, revokedAtUs }: Secret) {
  return { id, hint, created_at: formatInstant(createdAtUs), revoked_at: toInstant(revokedAtUs) };
}

/** A Developer API key as it is printed. */
export function toDeveloperKey(key: DeveloperKey) {
  return {
    id: key.id,
    project_id: key.projectId,
    name: key.name,
    permissions: key.permissions,
    created_at: formatInstant(key.createdAtUs),
    expires_at: toInstant(key.expiresAtUs),
    last_used_at: toInstant(key.lastUsedAtUs),
    revoked_at: toInstant(key.revokedAtUs),
    secrets: key.secrets.map(toSecret),
  };
}

/** A connection as it is printed. */
export function toConnection(connection: Connection) {
  return {
    id: connection.id,
    project_id: connection.projectId,
    name: connection.name,
    provisioning: connection.provisioning,
    enabled: connection.enabled,
    created_at: formatInstant(connection.createdAtUs),
    expires_at: toInstant(connection.expiresAtUs),
    last_used_at: toInstant(connection.lastUsedAtUs),
    secrets: connection.secrets.map(toSecret),
  };
}

const stateName = (state: RunState): string => toRunStateWord(state) ?? 'unknown';

/** A run as it is printed in lists. */
export function toRun(run: Run) {
  return {
    run_id: run.runId,
    project_id: run.projectId,
    connection_id: run.connectionId,
    kind: run.kind,
    state: stateName(run.state),
    error: run.error ?? null,
    attempts: run.attempts,
    created_at: formatInstant(run.createdAtUs),
    finished_at: toInstant(run.finishedAtUs),
  };
}

/** The run of a file as it is printed alone. */
export function toFileRun(run: Run, file: FileDetails) {
  return {
    ...toRun(run),
    file_name: file.fileName,
    parser_id: file.parserId,
    parser_version: file.parserVersion,
    site_id: file.siteId === '' ? null : file.siteId,
    bytes_read: file.progress?.bytes ?? 0,
    rows: file.progress?.rows ?? 0,
    points: file.progress?.points ?? 0,
    errors: file.progress?.errors ?? 0,
    missing: file.progress?.missing ?? 0,
    skipped: file.progress?.skipped ?? 0,
    points_admitted: file.position,
    row_errors: file.rowErrors.map(({ line, column, code, message, raw }) => ({
      line,
      column: column ?? null,
      code,
      message,
      raw,
    })),
  };
}

/** A run as it is printed alone: with its point and what became of each variable. */
export function toRunDetail(run: Run) {
  return {
    ...toRun(run),
    file_run_id: run.fileRunId === '' ? null : run.fileRunId,
    instrument_name: run.instrumentName,
    instrument_timestamp: formatInstant(run.instrumentTimestampUs),
    variables: run.variables.map(({ name, variableId, outcome, error }) => ({
      name,
      variable_id: variableId ?? null,
      outcome,
      error: error ?? null,
    })),
  };
}

/** A recalculation as it is printed: a run of no connection, with what caused it and how far it is. */
export function toRecalculation(run: Recalculation) {
  const { errorCode: code, progress } = run;
  return {
    run_id: run.runId,
    project_id: run.projectId,
    connection_id: null,
    kind: 'recalculation',
    state: run.state,
    error: code === '' ? null : { code, message: recalculationErrorMessage(code) },
    attempts: 0,
    created_at: formatInstant(run.createdAtUs),
    finished_at: toInstant(run.finishedAtUs),
    cause: { kind: run.causeKind, id: run.causeId },
    progress: {
      ranges: {
        total: progress?.rangesTotal ?? 0,
        done: progress?.rangesDone ?? 0,
        skipped: progress?.rangesSkipped ?? 0,
      },
      instants: { total: progress?.instantsTotal ?? 0, done: progress?.instantsDone ?? 0 },
      missing: progress?.missing ?? {},
    },
  };
}

/** A recalculation for a person, who reads counts as sentences. */
export function toRecalculationLines(run: Recalculation) {
  const { cause, progress, error, ...members } = toRecalculation(run);
  const { ranges, instants, missing } = progress;
  return {
    ...members,
    error: error?.message,
    cause: `${cause.kind} ${cause.id}`,
    ranges: `${ranges.done} of ${ranges.total} done, ${ranges.skipped} left to later recalculations`,
    instants: `${instants.done} of ${instants.total} done`,
    ...Object.fromEntries(Object.entries(missing).map(([reason, count]) => [`missing ${reason}`, count])),
  };
}
