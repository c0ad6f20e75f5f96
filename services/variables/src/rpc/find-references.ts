import { fromProjectId } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import { parseReferences } from '../domain/references.js';
import { selectReferences } from '../store/references.js';
import type { VariablesMethods } from './methods.js';

/** Tells whoever keeps ids of records which of them there are. */
export function findReferencesMethod(pool: Pool): Pick<VariablesMethods, 'findReferences'> {
  return {
    async findReferences(request) {
      const wanted = { projectId: fromProjectId(request.projectId), ...parseReferences(request) };
      const found = await selectReferences.all(pool, wanted);
      const ofKind = (kind: (typeof found)[number]['kind']) => found.filter((reference) => reference.kind === kind);
      return { variables: ofKind('variable'), instruments: ofKind('instrument'), groups: ofKind('group') };
    },
  };
}
