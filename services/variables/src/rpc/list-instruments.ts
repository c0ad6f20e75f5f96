import { cutPage } from '@weir/kit/pages';
import { parseRecordPage, type RecordPage } from '@weir/kit/records';
import type { Db, Pool } from '@weir/kit/sql';
import type { ListInstrumentsRequest } from '@weir/proto/variables';
import {
  selectInstrumentPage,
  selectInstrumentPageOfGroup,
  selectInstrumentPageOfSite,
} from '../store/instrument-pages.js';
import { selectInstruments } from '../store/instruments.js';
import { loadGroup } from './groups.js';
import { toInstrumentMessage } from './messages.js';
import type { VariablesMethods } from './methods.js';
import { loadSite } from './sites.js';

async function readPage(
  db: Db,
  page: RecordPage,
  { siteId, groupId }: Pick<ListInstrumentsRequest, 'siteId' | 'groupId'>,
): Promise<{ id: string }[]> {
  const { projectId, includeArchived } = page;
  if (siteId !== '') await loadSite(db, projectId, siteId, includeArchived);
  if (groupId !== '') {
    await loadGroup(db, projectId, groupId, includeArchived);
    return await selectInstrumentPageOfGroup.all(db, { ...page, groupId, siteId: siteId === '' ? undefined : siteId });
  }
  if (siteId !== '') return await selectInstrumentPageOfSite.all(db, { ...page, siteId });
  return await selectInstrumentPage.all(db, page);
}

/** Pages over the instruments of a project, of a site or of a group. */
export function listInstrumentsMethod(pool: Pool): Pick<VariablesMethods, 'listInstruments'> {
  return {
    async listInstruments(request) {
      const page = parseRecordPage(request);
      const read = await readPage(pool, page, request);
      const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
      const instrumentIds = records.map(({ id }) => id);
      const instruments = await selectInstruments.all(pool, { projectId: page.projectId, instrumentIds });
      return { instruments: instruments.map(toInstrumentMessage), nextAfter };
    },
  };
}
