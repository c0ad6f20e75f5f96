import { faultError } from '@weir/kit/errors';
import { idTimeUs, isId } from '@weir/kit/ids';
import { rowErrorsMax } from '@weir/kit/run-codes';
import { runStateNumbers } from '@weir/kit/run-states';
import type { FileSource, OpenFile, RowError, Run } from '@weir/proto/ingestion';
import { isFinished } from '../domain/file-run.js';
import { errorOf } from '../domain/run.js';
import type { FileRun, ListedFileRun, OpenFileRun } from '../store/file-runs.js';
import { invalidRequest } from './messages.js';

/** The run of a file; with its row errors, if they were read. */
export function toFileRun(file: ListedFileRun & Partial<Pick<FileRun, 'rowErrors'>>): Run {
  const { position, bytes, rows, points, errors, missing, skipped } = file;
  return {
    runId: file.id,
    projectId: file.projectId,
    connectionId: file.connectionId,
    kind: 'file',
    state: runStateNumbers[file.state],
    error: file.code === undefined ? undefined : errorOf(file.code, file.message),
    attempts: file.attempts,
    createdAtUs: idTimeUs(file.id),
    finishedAtUs: file.finishedAtUs,
    variables: [],
    instrumentName: '',
    instrumentTimestampUs: 0,
    fileRunId: '',
    file: {
      parserId: file.parserId,
      parserVersion: file.parserVersion,
      fileName: file.fileName,
      siteId: file.siteId ?? '',
      progress: { bytes, rows, points, errors, missing, skipped },
      bytesTotal: file.bytesTotal,
      rowErrors: file.rowErrors ?? [],
      position,
    },
  };
}

/** The run of a file with what it is read by. */
export function toOpenFile(file: OpenFileRun): OpenFile {
  return {
    run: toFileRun(file),
    isFinished: isFinished(file),
    configurationJson: file.configuration,
    zones: file.zones,
  };
}

/** JSON of the first row errors. What no jsonb can hold (NUL, half a surrogate pair) is replaced. */
export function toStoredRowErrors(rowErrors: readonly RowError[]): string {
  const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');
  return JSON.stringify(
    rowErrors.slice(0, rowErrorsMax).map(({ line, column, code, message, raw }) => ({
      line,
      column,
      code,
      message: clean(message),
      raw: clean(raw),
    })),
  );
}

/** @throws WeirError `invalid_request` */
export function fromFileSource(source: FileSource | undefined): FileSource {
  const details = [];
  for (const [path, id] of [
    ['project_id', source?.projectId],
    ['connection_id', source?.connectionId],
    ['parser_id', source?.parserId],
    ['site_id', source?.siteId === '' ? undefined : source?.siteId],
  ] as const) {
    if (id === undefined && path === 'site_id') continue;
    if (!isId(id ?? '')) details.push({ path: `/source/${path}`, code: 'invalid', message: 'must be a UUID' });
  }
  if (source === undefined || details.length > 0) throw invalidRequest(details);
  return source;
}

/**
 * A key means one file, and is refused for another: what was admitted of the first would be taken for its beginning.
 *
 * @throws WeirError `invalid_request`
 */
export function requireSameFile(source: FileSource, { parserId, fileName, siteId = '' }: OpenFileRun): void {
  if (parserId === source.parserId && fileName === source.fileName && siteId === source.siteId) return;
  const message =
    'This connection has used the key for a file with another name, parser or site; send this one under a key of its own.';
  throw faultError('invalid_request', { path: 'header/Idempotency-Key', code: 'other_file', message });
}
