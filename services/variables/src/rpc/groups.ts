import { isId, newId } from '@weir/kit/ids';
import { cutPage } from '@weir/kit/pages';
import { applyChange } from '@weir/kit/patches';
import { fromProjectId, parseChange, parseRecordPage, visible } from '@weir/kit/records';
import type { Db, Pool } from '@weir/kit/sql';
import { type Group, parseGroupPatch, parseNewGroup } from '../domain/group.js';
import { checkUpdate } from '../domain/lifecycle.js';
import {
  insertGroup,
  selectGroup,
  selectGroupPage,
  updateGroup,
  updateGroupArchived,
  updateGroupRestored,
} from '../store/groups.js';
import type { ChangeCatalog } from './change-catalog.js';
import { toGroupMessage } from './messages.js';
import type { VariablesMethods } from './methods.js';

type Methods = Pick<
  VariablesMethods,
  'createGroup' | 'getGroup' | 'listGroups' | 'updateGroup' | 'archiveGroup' | 'restoreGroup'
>;

/** The group that a request names. @throws WeirError `not_found` */
export async function loadGroup(db: Db, projectId: string, groupId: string, includeArchived: boolean): Promise<Group> {
  const key = { projectId: fromProjectId(projectId), groupId };
  return visible(isId(groupId) ? await selectGroup.maybe(db, key) : undefined, 'instrument group', includeArchived);
}

/** The methods on groups of instruments. */
export function groupMethods(pool: Pool, changeCatalog: ChangeCatalog): Methods {
  return {
    async createGroup(request) {
      const key = { projectId: fromProjectId(request.projectId), groupId: newId() };
      const fields = parseNewGroup(request);
      const group = await pool.transaction(async (tx) => {
        await insertGroup.run(tx, { ...fields, ...key });
        return await selectGroup.one(tx, key);
      });
      return { group: toGroupMessage(group) };
    },

    async getGroup({ projectId, groupId, includeArchived }) {
      return { group: toGroupMessage(await loadGroup(pool, projectId, groupId, includeArchived)) };
    },

    async listGroups(request) {
      const page = parseRecordPage(request);
      const { records, nextAfter } = cutPage(await selectGroupPage.all(pool, page), page.readMax, ({ id }) => id);
      return { groups: records.map(toGroupMessage), nextAfter };
    },

    async updateGroup(request) {
      const { projectId, groupId, expectedRevision } = request;
      const actor = parseChange(request);
      const change = parseGroupPatch(request.patch);
      const group = await changeCatalog(projectId, async (tx) => {
        const found = await loadGroup(tx, projectId, groupId, true);
        checkUpdate(found, expectedRevision, 'path/group_id', 'instrument group');
        const changed = applyChange(found, change);
        if (changed === undefined) return found;
        await updateGroup.run(tx, { ...changed, groupId, actor });
        return await selectGroup.one(tx, { projectId, groupId });
      });
      return { group: toGroupMessage(group) };
    },

    async archiveGroup(request) {
      const { projectId, groupId } = request;
      const actor = parseChange(request);
      const group = await changeCatalog(projectId, async (tx) => {
        const found = await loadGroup(tx, projectId, groupId, true);
        if (found.isArchivedItself) return found;
        await updateGroupArchived.run(tx, { record: found, actor });
        return await selectGroup.one(tx, { projectId, groupId });
      });
      return { group: toGroupMessage(group) };
    },

    async restoreGroup(request) {
      const { projectId, groupId } = request;
      const actor = parseChange(request);
      const group = await changeCatalog(projectId, async (tx) => {
        const found = await loadGroup(tx, projectId, groupId, true);
        if (!found.isArchivedItself) return found;
        await updateGroupRestored.run(tx, { record: found, actor });
        return await selectGroup.one(tx, { projectId, groupId });
      });
      return { group: toGroupMessage(group) };
    },
  };
}
