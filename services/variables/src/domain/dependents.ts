import { namesIn, parse } from '@weir/expression';
import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { shownName } from '@weir/kit/faults';
import { formatInstant } from '@weir/kit/time';

/** An active calculated variable that reads something. */
export interface Dependent {
  readonly id: string;
  readonly name: string;
  readonly instrumentId: string;
  readonly instrumentName: string;
}

/** What calculations can read, or be read through. */
export type Read = 'variable' | 'constant' | 'instrument';

function toDetail({ id, name, instrumentName }: Dependent, path: string, verb: string): ErrorDetail {
  const message = `${shownName(name)} (${id}) of the instrument ${shownName(instrumentName)} ${verb} it.`;
  return { path, code: 'active_calculation', message };
}

/** Active calculations read what is to be archived; the details name their variables. */
export function stillRead(dependents: readonly Dependent[], read: Read): WeirError {
  const what = read === 'instrument' ? 'variables of the instrument' : `the ${read}`;
  const message = `Active calculations read ${what}; change or archive them first.`;
  return new WeirError('dependency_conflict', message, {
    details: dependents.map((dependent) => toDetail(dependent, `path/${read}_id`, 'reads')),
  });
}

/** Active calculations use the alias, the old or the new one; the details name their variables. */
export function aliasUsed(dependents: readonly Dependent[]): WeirError {
  const message = 'Expressions of active calculations use the alias; change them first, or let them name inputs by id.';
  return new WeirError('dependency_conflict', message, {
    details: dependents.map((dependent) => toDetail(dependent, '/alias', 'uses')),
  });
}

/** What an expression names by alias; nothing, when it is none: nothing can evaluate it. */
function aliasesIn(expression: string): ReadonlySet<string> {
  const { syntax } = parse(expression);
  return syntax === undefined ? new Set() : namesIn(syntax);
}

/**
 * Which calculations stand in the way when one alias of what they read becomes another. The old one must
 * not be in use; the new one would mean two inputs where it names another already.
 *
 * @param readers - calculations that read it, each with its variable
 */
export function aliasUsers(
  readers: readonly (Dependent & { readonly expression: string })[],
  aliases: { readonly old: string; readonly new: string },
): Dependent[] {
  const users = new Map<string, Dependent>();
  for (const reader of readers) {
    const names = aliasesIn(reader.expression);
    if (names.has(aliases.old) || names.has(aliases.new)) users.set(reader.id, reader);
  }
  return [...users.values()];
}

/** Something that is archived, and the calculated variable that would be active and read it. */
export interface ArchivedInput {
  readonly kind: 'variable' | 'constant';
  readonly id: string;
  readonly name: string;
  readonly readerName: string;
}

/** What is to be restored reads what is archived; the details name it. */
export function readsArchived(inputs: readonly ArchivedInput[], path: string): WeirError {
  const message = 'Its calculations read what is archived; restore that first.';
  return new WeirError('dependency_conflict', message, {
    details: inputs.map(({ kind, id, name, readerName }) => ({
      path,
      code: `${kind}_archived`,
      message: `${shownName(readerName)} reads the ${kind} ${shownName(name)} (${id}), which is archived.`,
    })),
  });
}

/** A fault that the expression of an archived calculation came to have. */
export interface StaleExpression {
  readonly variableId: string;
  readonly startTimeUs: number;
  readonly message: string;
}

/** What is to be restored names what has another alias by now. */
export function namesLost(stale: readonly StaleExpression[], path: string): WeirError {
  const message = 'Its expressions name what is called otherwise by now; give that its old alias back first.';
  return new WeirError('dependency_conflict', message, {
    details: stale.map(({ variableId, startTimeUs, message: fault }) => ({
      path,
      code: 'alias_changed',
      message: `The calculation of ${variableId} from ${formatInstant(startTimeUs)} on: ${fault}`,
    })),
  });
}
