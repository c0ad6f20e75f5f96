import { formatInstant } from '@weir/kit/time';
import type { Group, GroupMember, GroupPatch } from '@weir/proto/variables';
import { z } from 'zod';
import { idText, instantText } from './answers.js';
import type { Patch } from './patches.js';
import { exampleIds, recordExample, recordSchema, toRecordJson } from './records.js';
import { freeText, nameText } from './texts.js';

/** What a client says of a group of instruments. */
export const groupMembers = { name: nameText, description: freeText };

/** What a client says of a new group. */
export const newGroup = z.strictObject(groupMembers).partial().extend({ name: nameText });

const schema = recordSchema('InstrumentGroup', { name: z.string(), description: z.string() });

const example: z.output<typeof schema> = recordExample(exampleIds.group, { name: 'River gauges', description: '' });

/** A group of instruments in answers. */
export const groupShape = { schema, example };

/** A group as it is answered. */
export function toGroupJson(group: Group): z.output<typeof schema> {
  return toRecordJson(group, { name: group.name, description: group.description });
}

/** A new group as the service takes it. */
export function fromNewGroup(group: z.output<typeof newGroup>): { name: string; description: string } {
  return { name: group.name, description: group.description ?? '' };
}

/** Changes of a group as the service takes them. */
export function fromGroupPatch({ given }: Patch<typeof groupMembers>): GroupPatch {
  return { name: given.name, description: given.description };
}

const memberSchema = z
  .strictObject({ instrument_group_id: idText, instrument_id: idText, added_at: instantText })
  .meta({ id: 'InstrumentGroupMember' });

/** A member of a group in answers. */
export const groupMemberShape = {
  schema: memberSchema,
  example: {
    instrument_group_id: exampleIds.group,
    instrument_id: exampleIds.instrument,
    added_at: '2026-01-30T08:20:00.000Z',
  },
};

/** A member of a group as it is answered. */
export function toGroupMemberJson(member: GroupMember): z.output<typeof memberSchema> {
  return {
    instrument_group_id: member.instrumentGroupId,
    instrument_id: member.instrumentId,
    added_at: formatInstant(member.addedAtUs),
  };
}
