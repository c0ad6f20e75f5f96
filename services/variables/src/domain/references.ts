import { Faults } from '@weir/kit/faults';
import { isId } from '@weir/kit/ids';

/** Ids that are asked about, by what they should name. */
export interface References {
  readonly variableIds: readonly string[];
  readonly instrumentIds: readonly string[];
  readonly groupIds: readonly string[];
}

const idsMax = 10_000;

/**
 * The different ids of each kind; texts that cannot be ids name nothing and are left out.
 *
 * @throws WeirError `invalid_request` when there are too many
 */
export function parseReferences(asked: References): References {
  const faults = new Faults();
  const parse = (texts: readonly string[], path: string): string[] => {
    const ids = [...new Set(texts)].filter(isId);
    if (ids.length > idsMax) faults.add(path, 'too_many', `Ask for at most ${idsMax} at a time.`);
    return ids;
  };
  const references = {
    variableIds: parse(asked.variableIds, '/variable_ids'),
    instrumentIds: parse(asked.instrumentIds, '/instrument_ids'),
    groupIds: parse(asked.groupIds, '/group_ids'),
  };
  faults.throwIfAny();
  return references;
}
