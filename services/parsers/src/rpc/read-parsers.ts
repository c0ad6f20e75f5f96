import { cutPage, parsePage } from '@weir/kit/pages';
import { fromProjectId, visible } from '@weir/kit/records';
import type { Db } from '@weir/kit/sql';
import type { GetParserRequest, GetParserResponse, ListParsersRequest, ListParsersResponse } from '@weir/proto/parsers';
import { selectParser, selectParsers } from '../store/parsers.js';
import { toKey } from './load-parser.js';
import { toParserMessage } from './messages.js';

/** Reads a parser. */
export async function getParser(db: Db, request: GetParserRequest): Promise<GetParserResponse> {
  const found = await selectParser.maybe(db, toKey(request));
  return { parser: toParserMessage(visible(found, 'parser', request.includeArchived)) };
}

/** Lists the parsers of a project in order of creation. */
export async function listParsers(
  db: Db,
  { projectId, q, includeArchived, ...request }: ListParsersRequest,
): Promise<ListParsersResponse> {
  const page = parsePage(request);
  const list = { projectId: fromProjectId(projectId), q, includeArchived, ...page };
  const read = await selectParsers.all(db, list);
  const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
  return { parsers: records.map(toParserMessage), nextAfter };
}
