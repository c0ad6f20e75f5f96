import { newId } from '@weir/kit/ids';
import { fromProjectId } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { ParsersServiceImplementation } from '@weir/proto/parsers';
import { parseNewParser } from '../domain/parser.js';
import { insertParser, selectParser } from '../store/parsers.js';
import { toParserMessage } from './messages.js';

/** The method that creates parsers. */
export function createMethod(
  pool: Pool,
  { parserConfigurationBytesMax }: { readonly parserConfigurationBytesMax: number },
): Pick<ParsersServiceImplementation, 'createParser'> {
  return {
    async createParser(request) {
      const key = { projectId: fromProjectId(request.projectId), parserId: newId() };
      const fields = parseNewParser(request, parserConfigurationBytesMax);
      const parser = await pool.transaction(async (tx) => {
        await insertParser.run(tx, { ...fields, ...key });
        return await selectParser.one(tx, key);
      });
      return { parser: toParserMessage(parser) };
    },
  };
}
