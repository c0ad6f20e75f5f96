import { parseChange } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { ParsersServiceImplementation } from '@weir/proto/parsers';
import { selectParser, updateParserArchived, updateParserRestored } from '../store/parsers.js';
import { loadLocked, toKey } from './load-parser.js';
import { toParserMessage } from './messages.js';

/** The methods that archive and restore parsers. */
export function changeMethods(pool: Pool): Pick<ParsersServiceImplementation, 'archiveParser' | 'restoreParser'> {
  return {
    async archiveParser(request) {
      const key = toKey(request);
      const actor = parseChange(request);
      const parser = await pool.transaction(async (tx) => {
        const found = await loadLocked(tx, key);
        if (found.archivedAtUs !== undefined) return found;
        await updateParserArchived.run(tx, { ...key, actor });
        return await selectParser.one(tx, key);
      });
      return { parser: toParserMessage(parser) };
    },

    async restoreParser(request) {
      const key = toKey(request);
      const actor = parseChange(request);
      const parser = await pool.transaction(async (tx) => {
        const found = await loadLocked(tx, key);
        if (found.archivedAtUs === undefined) return found;
        await updateParserRestored.run(tx, { ...key, actor });
        return await selectParser.one(tx, key);
      });
      return { parser: toParserMessage(parser) };
    },
  };
}
