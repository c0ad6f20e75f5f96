import { z } from 'zod';
import type { Clients } from '../clients/clients.js';
import { type Operation, operation } from '../http/operation.js';
import { groupMemberShape, toGroupMemberJson } from '../schemas/instrument-groups.js';
import { present, projectPath, readCall } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

const collection = '/instrument-groups/{group_id}/members';
const item = `${collection}/{instrument_id}` as const;
const tag = 'Instrument group members';

/** The operations on which instruments are in a group. */
export function instrumentGroupMembersOperations(
  dependencies: FamilyDependencies & { readonly variables: Clients['variables'] },
): readonly Operation[] {
  const { variables } = dependencies;
  const members = recordFamily(
    {
      name: 'instrument_group_members',
      tag,
      one: 'an instrument group member',
      many: 'instrument group members',
      collection,
      id: 'instrument_id',
      record: groupMemberShape,
      written: groupMemberShape,
    },
    dependencies,
  );
  return [
    members.list(
      { filters: {}, isNamed: false, order: 'In the order in which they were added.' },
      async ({ key, options }, { includeArchived, limit, after }) => {
        const found = await variables.listGroupMembers({ ...key, includeArchived, limit, after }, options);
        return { items: found.members.map(toGroupMemberJson), nextAfter: found.nextAfter };
      },
    ),
    operation({
      ...projectPath(item),
      id: 'developerapi_instrument_group_members_add',
      method: 'PUT',
      tag,
      summary: 'Add an instrument to a group',
      description: 'It takes no body. Done twice, it changes nothing.',
      auth: 'developer',
      permission: 'developer_api.instrument_group_members.add',
      query: {},
      success: { status: 200, ...groupMemberShape },
      errors: ['not_found', 'lifecycle_conflict'],
      handle: async (request) => {
        const { key, actor, options } = readCall(item, request);
        return toGroupMemberJson(present((await variables.addGroupMember({ ...key, actor }, options)).member));
      },
    }),
    operation({
      ...projectPath(item),
      id: 'developerapi_instrument_group_members_remove',
      method: 'DELETE',
      tag,
      summary: 'Remove an instrument from a group',
      description: 'The instrument itself stays. Removing one that is not a member changes nothing.',
      auth: 'developer',
      permission: 'developer_api.instrument_group_members.remove',
      query: {},
      success: { status: 200, schema: z.strictObject({}), example: {} },
      errors: ['not_found', 'lifecycle_conflict'],
      handle: async (request) => {
        const { key, actor, options } = readCall(item, request);
        await variables.removeGroupMember({ ...key, actor }, options);
        return {};
      },
    }),
  ];
}
