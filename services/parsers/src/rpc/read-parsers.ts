import { cutPage, parsePage } from '@weir/kit/pages';
import { fromProjectId, visible } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { ParsersServiceImplementation } from '@weir/proto/parsers';
import { selectParser, selectParsers } from '../store/parsers.js';
import { toKey } from './load-parser.js';
import { toParserMessage } from './messages.js';

/** The methods that read parsers. */
export function readMethods(pool: Pool): Pick<ParsersServiceImplementation, 'getParser' | 'listParsers'> {
  return {
    async getParser(request) {
      const found = await selectParser.maybe(pool, toKey(request));
      return { parser: toParserMessage(visible(found, 'parser', request.includeArchived)) };
    },

    async listParsers({ projectId, q, includeArchived, ...request }) {
      const page = parsePage(request);
      const list = { projectId: fromProjectId(projectId), q, includeArchived, ...page };
      const read = await selectParsers.all(pool, list);
      const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
      return { parsers: records.map(toParserMessage), nextAfter };
    },
  };
}
