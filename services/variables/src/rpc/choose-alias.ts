import type { Transaction } from '@weir/kit/sql';
import { aliasDeriver } from '../domain/alias.js';
import { selectTakenAliases } from '../store/aliases.js';

/** The alias that is asked for, or one derived from the name that is free in the instrument. */
export async function chooseAlias(
  tx: Transaction,
  { name, alias }: { readonly name: string; readonly alias: string | undefined },
  projectId: string,
  instrumentId: string,
): Promise<string> {
  if (alias !== undefined) return alias;
  const taken = await selectTakenAliases.one(tx, { projectId, instrumentIds: [instrumentId] });
  return aliasDeriver(taken.aliases)(name);
}
