import { cutPage } from '@weir/kit/pages';
import { fromProjectId, parseRecordPage, type RecordPage } from '@weir/kit/records';
import type { Db, Pool } from '@weir/kit/sql';
import type { VariableType } from '../domain/variable.js';
import { parseVariableScope, parseVariableType } from '../domain/variable-scope.js';
import { selectGeneration } from '../store/catalogs.js';
import { selectVariablePage, selectVariablePageOfInstrument } from '../store/variable-pages.js';
import { selectVariables } from '../store/variables.js';
import { loadGroup } from './groups.js';
import { loadInstrument } from './instruments.js';
import { toVariableMessage } from './messages.js';
import type { VariablesMethods } from './methods.js';
import { toWholeVariables } from './variable-messages.js';

/** So many calculations may a page have, unless its first variable alone has more: an expression has up to 4 KiB. */
const pageCalculationsMax = 500;

type Methods = Pick<VariablesMethods, 'listVariables' | 'searchVariables'>;

async function readPage(
  db: Db,
  page: RecordPage & { readonly variableType: VariableType | undefined },
  instrumentId: string,
): Promise<{ id: string; calculationCount: number }[]> {
  if (instrumentId === '') return await selectVariablePage.all(db, page);
  await loadInstrument(db, page.projectId, instrumentId, page.includeArchived);
  return await selectVariablePageOfInstrument.all(db, { ...page, instrumentId });
}

/** The methods that answer many variables. */
export function listVariablesMethods(pool: Pool): Methods {
  return {
    async listVariables(request) {
      const { includeArchived } = request;
      const projectId = fromProjectId(request.projectId);
      const { variableIds, instrumentId, groupId } = parseVariableScope(request);
      const { knownGeneration } = request;
      // told before the variables are read: they may be newer than it says, and never older
      const generation =
        knownGeneration === undefined ? 0 : (await selectGeneration.one(pool, { projectId })).generation;
      if (generation !== 0 && generation === knownGeneration) return { variables: [], generation };
      if (instrumentId !== undefined) await loadInstrument(pool, projectId, instrumentId, includeArchived);
      if (groupId !== undefined) await loadGroup(pool, projectId, groupId, includeArchived);
      const isByIds = request.variableIds.length > 0;
      const found = await selectVariables.all(pool, {
        projectId,
        includeArchived,
        variableIds,
        instrumentId: isByIds ? undefined : instrumentId,
        groupId,
      });
      const variables =
        instrumentId === undefined ? found : found.filter((variable) => variable.instrumentId === instrumentId);
      return { variables: variables.map((variable) => toVariableMessage(variable)), generation };
    },

    async searchVariables(request) {
      const page = { ...parseRecordPage(request), variableType: parseVariableType(request.variableType) };
      const { projectId } = page;
      const read = await readPage(pool, page, request.instrumentId);
      const weight = {
        of: ({ calculationCount }: (typeof read)[number]) => calculationCount,
        max: pageCalculationsMax,
      };
      const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id, weight);
      const variables = await selectVariables.all(pool, {
        projectId,
        variableIds: records.map(({ id }) => id),
        instrumentId: undefined,
        groupId: undefined,
        includeArchived: true,
      });
      return { variables: await toWholeVariables(pool, projectId, variables), nextAfter };
    },
  };
}
