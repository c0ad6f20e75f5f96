import { cutPage, parseReadMax } from '@weir/kit/pages';
import { fromProjectId, parseChange, requireActive } from '@weir/kit/records';
import type { Pool, Transaction } from '@weir/kit/sql';
import { parentArchived } from '../domain/conflicts.js';
import { parseMemberKey } from '../domain/group.js';
import { deleteMember, insertMember, selectMember, selectMemberPage } from '../store/group-members.js';
import type { ChangeCatalog } from './change-catalog.js';
import { loadGroup } from './groups.js';
import { loadInstrument } from './instruments.js';
import { toGroupMemberMessage } from './messages.js';
import type { VariablesMethods } from './methods.js';

type Methods = Pick<VariablesMethods, 'listGroupMembers' | 'addGroupMember' | 'removeGroupMember'>;

interface MemberKey {
  readonly projectId: string;
  readonly groupId: string;
  readonly instrumentId: string;
}

/** The instrument of a request, whose group may be changed. */
async function loadBoth(tx: Transaction, { projectId, groupId, instrumentId }: MemberKey) {
  const group = await loadGroup(tx, projectId, groupId, true);
  const instrument = await loadInstrument(tx, projectId, instrumentId, true);
  requireActive(group, 'path/group_id', 'instrument group');
  return instrument;
}

/** The methods on the members of groups. */
export function groupMemberMethods(pool: Pool, changeCatalog: ChangeCatalog): Methods {
  return {
    async listGroupMembers(request) {
      const { projectId, groupId, includeArchived } = request;
      const page = {
        projectId: fromProjectId(projectId),
        groupId,
        includeArchived,
        after: parseMemberKey(request.after),
        readMax: parseReadMax(request.limit),
      };
      await loadGroup(pool, projectId, groupId, includeArchived);
      const read = await selectMemberPage.all(pool, page);
      const { records, nextAfter } = cutPage(read, page.readMax, ({ memberKey }) => String(memberKey));
      return { members: records.map(toGroupMemberMessage), nextAfter };
    },

    async addGroupMember(request) {
      const { projectId, groupId, instrumentId } = request;
      const actor = parseChange(request);
      const member = await changeCatalog(projectId, async (tx) => {
        const instrument = await loadBoth(tx, request);
        if (instrument.archivedAtUs !== undefined) throw parentArchived('path/instrument_id', 'instrument');
        await insertMember.run(tx, { projectId, groupId, instrumentId, actor });
        return await selectMember.one(tx, { projectId, groupId, instrumentId });
      });
      return { member: toGroupMemberMessage(member) };
    },

    async removeGroupMember(request) {
      const { projectId, groupId, instrumentId } = request;
      const actor = parseChange(request);
      await changeCatalog(projectId, async (tx) => {
        await loadBoth(tx, request);
        await deleteMember.run(tx, { projectId, groupId, instrumentId, actor });
      });
      return {};
    },
  };
}
