import { parseChange } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type {
  ArchiveParserRequest,
  ArchiveParserResponse,
  RestoreParserRequest,
  RestoreParserResponse,
} from '@weir/proto/parsers';
import { selectParser, updateParserArchived, updateParserRestored } from '../store/parsers.js';
import { loadLocked, toKey } from './load-parser.js';
import { toParserMessage } from './messages.js';

/** Archives a parser; one that is archived stays as it is. */
export async function archiveParser(pool: Pool, request: ArchiveParserRequest): Promise<ArchiveParserResponse> {
  const key = toKey(request);
  const actor = parseChange(request);
  const parser = await pool.transaction(async (tx) => {
    const found = await loadLocked(tx, key);
    if (found.archivedAtUs !== undefined) return found;
    await updateParserArchived.run(tx, { record: found, actor });
    return await selectParser.one(tx, key);
  });
  return { parser: toParserMessage(parser) };
}

/** Restores an archived parser; one that is not archived stays as it is. */
export async function restoreParser(pool: Pool, request: RestoreParserRequest): Promise<RestoreParserResponse> {
  const key = toKey(request);
  const actor = parseChange(request);
  const parser = await pool.transaction(async (tx) => {
    const found = await loadLocked(tx, key);
    if (found.archivedAtUs === undefined) return found;
    await updateParserRestored.run(tx, { record: found, actor });
    return await selectParser.one(tx, key);
  });
  return { parser: toParserMessage(parser) };
}
