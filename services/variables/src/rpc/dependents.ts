import { errorDetailsMax } from '@weir/kit/errors';
import type { Transaction } from '@weir/kit/sql';
import { aliasUsed, aliasUsers, readsArchived, stillRead } from '../domain/dependents.js';
import {
  selectConstantDependents,
  selectInstrumentDependents,
  selectReadingExpressions,
  selectVariableDependents,
} from '../store/dependents.js';
import { selectArchivedInputs } from '../store/readings.js';

interface OfInstrument {
  readonly projectId: string;
  readonly id: string;
  readonly instrumentId: string;
}

/** Refuses to archive a variable that active calculations read. @throws WeirError `dependency_conflict` */
export async function requireVariableUnread(tx: Transaction, { projectId, id, instrumentId }: OfInstrument) {
  const read = { projectId, id, instrumentId, limit: errorDetailsMax };
  const dependents = await selectVariableDependents.all(tx, read);
  if (dependents.length > 0) throw stillRead(dependents, 'variable');
}

/** Refuses to archive a constant that active calculations read. @throws WeirError `dependency_conflict` */
export async function requireConstantUnread(tx: Transaction, { projectId, id, instrumentId }: OfInstrument) {
  const read = { projectId, id, instrumentId, limit: errorDetailsMax };
  const dependents = await selectConstantDependents.all(tx, read);
  if (dependents.length > 0) throw stillRead(dependents, 'constant');
}

/**
 * Refuses to archive an instrument whose variables are read by active calculations of another one.
 *
 * @throws WeirError `dependency_conflict`
 */
export async function requireInstrumentUnread(tx: Transaction, projectId: string, instrumentId: string) {
  const dependents = await selectInstrumentDependents.all(tx, { projectId, id: instrumentId, limit: errorDetailsMax });
  if (dependents.length > 0) throw stillRead(dependents, 'instrument');
}

/**
 * Refuses to rename the alias of a variable or constant where an expression of an active calculation would
 * mean something else after it.
 *
 * @param read - the variable or constant as it is
 * @throws WeirError `dependency_conflict`
 */
export async function requireAliasUnused(
  tx: Transaction,
  read: { readonly projectId: string; readonly id: string; readonly alias: string },
  newAlias: string,
) {
  if (newAlias === read.alias) return;
  const readers = await selectReadingExpressions.all(tx, { projectId: read.projectId, id: read.id });
  const users = aliasUsers(readers, { old: read.alias, new: newAlias });
  if (users.length > 0) throw aliasUsed(users);
}

/**
 * Refuses to make calculated variables active that read what is archived.
 *
 * @param instrumentId - the instrument of all of them: it is active, or about to be
 * @param path - the parameter of the request that says what is restored
 * @throws WeirError `dependency_conflict`
 */
export async function requireInputsActive(
  tx: Transaction,
  readers: { readonly projectId: string; readonly variableIds: readonly string[]; readonly instrumentId: string },
  path: string,
) {
  const archived = await selectArchivedInputs.all(tx, { ...readers, limit: errorDetailsMax });
  if (archived.length > 0) throw readsArchived(archived, path);
}
