import { errorDetailsMax } from '@weir/kit/errors';
import { isId, newId } from '@weir/kit/ids';
import { cutPage } from '@weir/kit/pages';
import { applyChange } from '@weir/kit/patches';
import { fromProjectId, parseChange, parseRecordPage, visible } from '@weir/kit/records';
import type { Db, Pool } from '@weir/kit/sql';
import { siteInUse } from '../domain/conflicts.js';
import { checkUpdate } from '../domain/lifecycle.js';
import { parseNewSite, parseSitePatch, type Site } from '../domain/site.js';
import { updateGeneration } from '../store/catalogs.js';
import { selectActiveInstruments } from '../store/instruments.js';
import {
  insertSite,
  selectSite,
  selectSitePage,
  updateSite,
  updateSiteArchived,
  updateSiteRestored,
} from '../store/sites.js';
import type { ChangeCatalog } from './change-catalog.js';
import { toSiteMessage } from './messages.js';
import type { VariablesMethods } from './methods.js';

type Methods = Pick<
  VariablesMethods,
  'createSite' | 'getSite' | 'listSites' | 'updateSite' | 'archiveSite' | 'restoreSite'
>;

/** The site that a request names. @throws WeirError `not_found` */
export async function loadSite(db: Db, projectId: string, siteId: string, includeArchived: boolean): Promise<Site> {
  const key = { projectId: fromProjectId(projectId), siteId };
  return visible(isId(siteId) ? await selectSite.maybe(db, key) : undefined, 'site', includeArchived);
}

/** The methods on sites. */
export function siteMethods(pool: Pool, changeCatalog: ChangeCatalog): Methods {
  return {
    async createSite(request) {
      const key = { projectId: fromProjectId(request.projectId), siteId: newId() };
      const fields = parseNewSite(request);
      const site = await pool.transaction(async (tx) => {
        await insertSite.run(tx, { ...fields, ...key });
        return await selectSite.one(tx, key);
      });
      return { site: toSiteMessage(site) };
    },

    async getSite({ projectId, siteId, includeArchived }) {
      return { site: toSiteMessage(await loadSite(pool, projectId, siteId, includeArchived)) };
    },

    async listSites(request) {
      const page = parseRecordPage(request);
      const { records, nextAfter } = cutPage(await selectSitePage.all(pool, page), page.readMax, ({ id }) => id);
      return { sites: records.map(toSiteMessage), nextAfter };
    },

    async updateSite(request) {
      const { projectId, siteId, expectedRevision } = request;
      const actor = parseChange(request);
      const change = parseSitePatch(request.patch);
      const site = await changeCatalog(projectId, async (tx) => {
        const found = await loadSite(tx, projectId, siteId, true);
        checkUpdate(found, expectedRevision, 'path/site_id', 'site');
        const changed = applyChange(found, change);
        if (changed === undefined) return found;
        await updateSite.run(tx, { ...changed, siteId, actor });
        return await selectSite.one(tx, { projectId, siteId });
      });
      return { site: toSiteMessage(site) };
    },

    async archiveSite(request) {
      const { projectId, siteId } = request;
      const actor = parseChange(request);
      const site = await changeCatalog(projectId, async (tx) => {
        const found = await loadSite(tx, projectId, siteId, true);
        if (found.isArchivedItself) return found;
        const instruments = await selectActiveInstruments.all(tx, { projectId, siteId, limit: errorDetailsMax });
        if (instruments.length > 0) throw siteInUse(instruments);
        await updateSiteArchived.run(tx, { record: found, actor });
        await updateGeneration.run(tx, { projectId });
        return await selectSite.one(tx, { projectId, siteId });
      });
      return { site: toSiteMessage(site) };
    },

    async restoreSite(request) {
      const { projectId, siteId } = request;
      const actor = parseChange(request);
      const site = await changeCatalog(projectId, async (tx) => {
        const found = await loadSite(tx, projectId, siteId, true);
        if (!found.isArchivedItself) return found;
        await updateSiteRestored.run(tx, { record: found, actor });
        await updateGeneration.run(tx, { projectId });
        return await selectSite.one(tx, { projectId, siteId });
      });
      return { site: toSiteMessage(site) };
    },
  };
}
