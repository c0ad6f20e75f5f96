import { newId } from '@weir/kit/ids';
import { fromProjectId } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { CreateParserRequest, CreateParserResponse } from '@weir/proto/parsers';
import type { ParsersConfig } from '../config.js';
import { parseNewParser } from '../domain/parser.js';
import { insertParser, selectParser } from '../store/parsers.js';
import { toParserMessage } from './messages.js';

/** Creates a parser. */
export async function createParser(
  pool: Pool,
  request: CreateParserRequest,
  { parserConfigurationBytesMax }: Pick<ParsersConfig, 'parserConfigurationBytesMax'>,
): Promise<CreateParserResponse> {
  const key = { projectId: fromProjectId(request.projectId), parserId: newId() };
  const fields = parseNewParser(request, parserConfigurationBytesMax);
  const parser = await pool.transaction(async (tx) => {
    await insertParser.run(tx, { ...fields, ...key });
    return await selectParser.one(tx, key);
  });
  return { parser: toParserMessage(parser) };
}
