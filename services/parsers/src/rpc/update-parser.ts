import { requireActive } from '@weir/kit/records';
import { checkRevision } from '@weir/kit/revisions';
import type { Pool } from '@weir/kit/sql';
import type { ParsersServiceImplementation } from '@weir/proto/parsers';
import { applyUpdate, parseParserUpdate } from '../domain/parser.js';
import { selectParser, updateParser } from '../store/parsers.js';
import { loadLocked, toKey } from './load-parser.js';
import { toParserMessage } from './messages.js';

/** The method that updates parsers. */
export function updateMethod(
  pool: Pool,
  { parserConfigurationBytesMax }: { readonly parserConfigurationBytesMax: number },
): Pick<ParsersServiceImplementation, 'updateParser'> {
  return {
    async updateParser(request) {
      const { change, actor } = parseParserUpdate(request, parserConfigurationBytesMax);
      const key = toKey(request);
      const parser = await pool.transaction(async (tx) => {
        const found = await loadLocked(tx, key);
        requireActive(found, 'path/parser_id', 'parser');
        checkRevision(request.expectedRevision, found);
        const changed = applyUpdate(found, change);
        if (changed === undefined) return found;
        await updateParser.run(tx, { changed, actor });
        return await selectParser.one(tx, key);
      });
      return { parser: toParserMessage(parser) };
    },
  };
}
