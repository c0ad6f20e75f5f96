import { cutPage } from '@weir/kit/pages';
import { parseRecordPage, visible } from '@weir/kit/records';
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
export async function listParsers(db: Db, request: ListParsersRequest): Promise<ListParsersResponse> {
  const page = parseRecordPage(request);
  const read = await selectParsers.all(db, page);
  const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
  return { parsers: records.map(toParserMessage), nextAfter };
}
