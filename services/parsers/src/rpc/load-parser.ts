import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import { fromProjectId } from '@weir/kit/records';
import type { Transaction } from '@weir/kit/sql';
import type { Parser } from '../domain/parser.js';
import { lockParser, type ParserKey } from '../store/parsers.js';

/** The key of the parser that a request names; texts that cannot be ids name none. @throws WeirError `not_found` */
export function toKey({ projectId, parserId }: ParserKey): ParserKey {
  if (!isId(parserId)) throw notFound('parser');
  return { projectId: fromProjectId(projectId), parserId };
}

/** The parser, archived or not, which nobody else changes until the transaction ends. @throws WeirError `not_found` */
export async function loadLocked(tx: Transaction, key: ParserKey): Promise<Parser> {
  const found = await lockParser.maybe(tx, key);
  if (found === undefined) throw notFound('parser');
  return found;
}
