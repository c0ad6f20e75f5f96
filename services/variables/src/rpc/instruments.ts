import { isId, newId } from '@weir/kit/ids';
import { applyChange } from '@weir/kit/patches';
import { fromProjectId, parseChange, visible } from '@weir/kit/records';
import type { Db, Pool, Transaction } from '@weir/kit/sql';
import { noSuchReference, parentArchived } from '../domain/conflicts.js';
import { changesNames, type Instrument, parseInstrumentPatch, parseNewInstrument } from '../domain/instrument.js';
import { checkUpdate, decideRestore } from '../domain/lifecycle.js';
import { updateGeneration, updateGenerationIfNamesShared } from '../store/catalogs.js';
import {
  insertInstrument,
  selectInstruments,
  updateInstrument,
  updateInstrumentArchived,
  updateInstrumentRestored,
} from '../store/instruments.js';
import { selectSite } from '../store/sites.js';
import type { ChangeCatalog } from './change-catalog.js';
import { requireInstrumentUnread } from './dependents.js';
import { toInstrumentMessage } from './messages.js';
import type { VariablesMethods } from './methods.js';
import { restoreCalculationsOf } from './restore-calculations.js';

type Methods = Pick<
  VariablesMethods,
  'createInstrument' | 'getInstrument' | 'updateInstrument' | 'archiveInstrument' | 'restoreInstrument'
>;

/** The instrument that a request names. @throws WeirError `not_found` */
export async function loadInstrument(
  db: Db,
  projectId: string,
  instrumentId: string,
  includeArchived: boolean,
): Promise<Instrument> {
  const wanted = { projectId: fromProjectId(projectId), instrumentIds: isId(instrumentId) ? [instrumentId] : [] };
  return visible(await selectInstruments.maybe(db, wanted), 'instrument', includeArchived);
}

async function requireActiveSite(tx: Transaction, projectId: string, siteId: string): Promise<void> {
  const site = isId(siteId) ? await selectSite.maybe(tx, { projectId, siteId }) : undefined;
  if (site === undefined) throw noSuchReference('/site_id', 'site');
  if (site.isArchivedItself) throw parentArchived('/site_id', 'site');
}

/** The methods on instruments. */
export function instrumentMethods(pool: Pool, changeCatalog: ChangeCatalog): Methods {
  return {
    async createInstrument(request) {
      const { projectId } = request;
      const fields = parseNewInstrument(request);
      const key = { projectId, instrumentId: newId() };
      const instrument = await changeCatalog(projectId, async (tx) => {
        if (fields.siteId !== undefined) await requireActiveSite(tx, projectId, fields.siteId);
        await insertInstrument.run(tx, { ...fields, ...key });
        await updateGenerationIfNamesShared.run(tx, {
          projectId,
          instruments: [{ id: key.instrumentId, name: fields.name }],
        });
        return await loadInstrument(tx, projectId, key.instrumentId, true);
      });
      return { instrument: toInstrumentMessage(instrument) };
    },

    async getInstrument({ projectId, instrumentId, includeArchived }) {
      return { instrument: toInstrumentMessage(await loadInstrument(pool, projectId, instrumentId, includeArchived)) };
    },

    async updateInstrument(request) {
      const { projectId, instrumentId, expectedRevision } = request;
      const actor = parseChange(request);
      const change = parseInstrumentPatch(request.patch);
      const instrument = await changeCatalog(projectId, async (tx) => {
        const found = await loadInstrument(tx, projectId, instrumentId, true);
        checkUpdate(found, expectedRevision, 'path/instrument_id', 'instrument');
        const changed = applyChange(found, change);
        if (changed === undefined) return found;
        const { siteId } = changed;
        if (siteId !== undefined && siteId !== found.siteId) await requireActiveSite(tx, projectId, siteId);
        await updateInstrument.run(tx, { ...changed, instrumentId, actor });
        if (changesNames(found, changed)) await updateGeneration.run(tx, { projectId });
        return await loadInstrument(tx, projectId, instrumentId, true);
      });
      return { instrument: toInstrumentMessage(instrument) };
    },

    async archiveInstrument(request) {
      const { projectId, instrumentId } = request;
      const actor = parseChange(request);
      const instrument = await changeCatalog(projectId, async (tx) => {
        const found = await loadInstrument(tx, projectId, instrumentId, true);
        if (found.isArchivedItself) return found;
        await requireInstrumentUnread(tx, projectId, instrumentId);
        await updateInstrumentArchived.run(tx, { record: found, actor });
        await updateGeneration.run(tx, { projectId });
        return await loadInstrument(tx, projectId, instrumentId, true);
      });
      return { instrument: toInstrumentMessage(instrument) };
    },

    async restoreInstrument(request) {
      const { projectId, instrumentId } = request;
      const actor = parseChange(request);
      return await changeCatalog(projectId, async (tx) => {
        const found = await loadInstrument(tx, projectId, instrumentId, true);
        const isRestored = decideRestore(found, 'path/instrument_id', 'site');
        if (isRestored) {
          await updateInstrumentRestored.run(tx, { record: found, actor });
          await updateGeneration.run(tx, { projectId });
        }
        const recalculationBatchRunId = await restoreCalculationsOf(tx, found, actor, isRestored);
        const instrument = isRestored ? await loadInstrument(tx, projectId, instrumentId, true) : found;
        return { instrument: toInstrumentMessage(instrument), recalculationBatchRunId };
      });
    },
  };
}
