import { requireActive } from '@weir/kit/records';
import { checkRevision } from '@weir/kit/revisions';
import type { Pool } from '@weir/kit/sql';
import type { UpdateParserRequest, UpdateParserResponse } from '@weir/proto/parsers';
import type { ParsersConfig } from '../config.js';
import { applyUpdate, parseParserUpdate } from '../domain/parser.js';
import { selectParser, updateParser as storeChange } from '../store/parsers.js';
import { loadLocked, toKey } from './load-parser.js';
import { toParserMessage } from './messages.js';

/** Changes what a request gives of a parser. */
export async function updateParser(
  pool: Pool,
  request: UpdateParserRequest,
  { parserConfigurationBytesMax }: Pick<ParsersConfig, 'parserConfigurationBytesMax'>,
): Promise<UpdateParserResponse> {
  const { change, actor } = parseParserUpdate(request, parserConfigurationBytesMax);
  const key = toKey(request);
  const parser = await pool.transaction(async (tx) => {
    const found = await loadLocked(tx, key);
    requireActive(found, 'path/parser_id', 'parser');
    checkRevision(request.expectedRevision, found);
    const changed = applyUpdate(found, change);
    if (changed === undefined) return found;
    await storeChange.run(tx, { changed, actor });
    return await selectParser.one(tx, key);
  });
  return { parser: toParserMessage(parser) };
}
