import type { Group } from '@weir/proto/variables';
import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import {
  fromGroupPatch,
  fromNewGroup,
  groupMembers,
  groupShape,
  newGroup,
  toGroupJson,
} from '../schemas/instrument-groups.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

function toJson({ group }: { readonly group: Group | undefined }) {
  return toGroupJson(present(group));
}

/** The operations on groups of instruments. */
export function instrumentGroupsOperations(
  dependencies: FamilyDependencies & { readonly variables: Clients['variables'] },
): readonly Operation[] {
  const { variables } = dependencies;
  const groups = recordFamily(
    {
      name: 'instrument_groups',
      tag: 'Instrument groups',
      one: 'an instrument group',
      many: 'instrument groups',
      collection: '/instrument-groups',
      id: 'group_id',
      record: groupShape,
      written: groupShape,
    },
    dependencies,
  );
  const { name } = groupShape.example;
  return [
    groups.list({ filters: {} }, async ({ key, options }, page) => {
      const found = await variables.listGroups({ ...key, ...page }, options);
      return { items: found.groups.map(toGroupJson), nextAfter: found.nextAfter };
    }),
    groups.create(
      { body: newGroup, example: { name }, description: 'Only `name` is required.' },
      async ({ key, actor, options }, group) =>
        toJson(await variables.createGroup({ ...key, ...fromNewGroup(group), actor }, options)),
    ),
    groups.read(async ({ key, options }, includeArchived) =>
      toJson(await variables.getGroup({ ...key, includeArchived }, options)),
    ),
    groups.update(
      { members: groupMembers, example: { expected_revision: 1, description: 'All that measure the river' } },
      async ({ key, actor, options }, patch) => {
        const request = { ...key, expectedRevision: patch.expectedRevision, patch: fromGroupPatch(patch), actor };
        return toJson(await variables.updateGroup(request, options));
      },
    ),
    groups.archive(async ({ key, actor, options }) => toJson(await variables.archiveGroup({ ...key, actor }, options))),
    groups.restore(async ({ key, actor, options }) => toJson(await variables.restoreGroup({ ...key, actor }, options))),
  ];
}
