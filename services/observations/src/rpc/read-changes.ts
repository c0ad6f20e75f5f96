import { faultError, WeirError } from '@weir/kit/errors';
import type { Db } from '@weir/kit/sql';
import { type ChangeMark, parseMark } from '../domain/change-mark.js';
import type { SeriesRange } from '../domain/page-ranges.js';
import { selectChangedRanges, selectMarkAfter } from '../store/changed-ranges.js';
import { asQueryLimit } from './query-limit.js';

/** Changed ranges of one request; whoever has missed more reads all again. */
const rangesMax = 200_000;

const path = 'query/changed_since';

function refuse(code: string, message: string): WeirError {
  return faultError('invalid_request', { path, code, message });
}

/**
 * The ranges of series in which something was written or deleted since a mark, in the order read, and a
 * mark of what could be seen before they were read.
 *
 * @throws WeirError `invalid_request` for a mark that is older than changes are kept, `query_too_large`
 */
export async function readChanges(
  db: Db,
  asked: {
    readonly projectId: string;
    readonly variableKeys: readonly number[];
    readonly startUs: number;
    readonly endUs: number;
    readonly descending: boolean;
  },
  changedSince: string,
  keptUs: number,
): Promise<{ readonly ranges: readonly SeriesRange[]; readonly mark: ChangeMark }> {
  const since = parseMark(changedSince);
  if (since === undefined) throw refuse('invalid_mark', 'Give the change_mark of an earlier answer as it was.');
  const { isKept, ...mark } = await selectMarkAfter.one(db, { since: since.snapshot });
  if (!isKept || since.atUs < mark.atUs - keptUs)
    throw refuse(
      'mark_too_old',
      'The change mark is older than changes are kept, or than the database was restored; read without changed_since again.',
    );
  const { projectId, variableKeys, startUs, endUs, descending } = asked;
  const request = { projectId, variableKeys, startUs, endUs, since: since.snapshot, limit: rangesMax + 1 };
  const ranges = await asQueryLimit(selectChangedRanges.all(db, request));
  if (ranges.length > rangesMax)
    throw new WeirError(
      'query_too_large',
      'More ranges have changed than are told one by one; ask for fewer variables, or read without changed_since again.',
    );
  if (descending) ranges.sort((a, b) => a.seriesIndex - b.seriesIndex || b.startUs - a.startUs);
  return { ranges, mark };
}
