import { formatInstant } from '@weir/kit/time';
import type { Lifecycle } from '@weir/proto/common';
import { z } from 'zod';
import { idText, instantText } from './answers.js';

/** How something looks in answers: its schema, an instance for the document. */
export interface Shape<T> {
  readonly schema: z.ZodType<T>;
  readonly example: T;
}

const actor = z.strictObject({ type: z.enum(['user', 'developer_api_key', 'system']), id: z.string() });

const lifecycleMembers = {
  lifecycle_state: z.enum(['active', 'archived']).meta({
    description: 'The effective one: what belongs to an archived record is archived.',
  }),
  archived_at: instantText.nullable().meta({ description: 'Null while it is active.' }),
  archived_by: actor.nullable().meta({ description: 'Null while it is active.' }),
};

const versionMembers = {
  revision: z
    .int()
    .min(1)
    .meta({ description: 'Rises with every change; as `expected_revision` it guards an update.' }),
  created_at: instantText,
  updated_at: instantText,
};

/** The schema of a record with a lifecycle and a revision: its own members and those of all. */
export function recordSchema<M extends z.core.$ZodLooseShape>(name: string, members: M) {
  return z
    .strictObject({ id: idText, project_id: idText, ...members, ...versionMembers, ...lifecycleMembers })
    .meta({ id: name });
}

/** What all records have, as the services tell it. */
export interface RecordMessage {
  readonly id: string;
  readonly projectId: string;
  readonly revision: number;
  readonly createdAtUs: number;
  readonly updatedAtUs: number;
  readonly lifecycle: Lifecycle | undefined;
}

type ActorJson = z.output<typeof actor>;

/** The lifecycle members of a record. Words are passed on as the service has them. */
function toLifecycleJson(lifecycle: Lifecycle | undefined) {
  const { state, archivedAtUs, archivedBy } = lifecycle ?? {};
  return {
    lifecycle_state: state === 'archived' ? ('archived' as const) : ('active' as const),
    archived_at: archivedAtUs === undefined ? null : formatInstant(archivedAtUs),
    archived_by: archivedBy === undefined ? null : { type: archivedBy.type as ActorJson['type'], id: archivedBy.id },
  };
}

/** A record: its own members, and those of all from what the service tells. */
export function toRecordJson<M extends object>(message: RecordMessage, members: M) {
  return {
    id: message.id,
    project_id: message.projectId,
    ...members,
    revision: message.revision,
    created_at: formatInstant(message.createdAtUs),
    updated_at: formatInstant(message.updatedAtUs),
    ...toLifecycleJson(message.lifecycle),
  };
}

/** An active record for the document. */
export function recordExample<M extends object>(id: string, members: M) {
  return toRecordJson(
    {
      id,
      projectId: '019c1390-1000-7000-8000-1b2c3d4e5f60',
      revision: 1,
      createdAtUs: Date.UTC(2026, 0, 30, 8, 15) * 1000,
      updatedAtUs: Date.UTC(2026, 0, 30, 8, 15) * 1000,
      lifecycle: undefined,
    },
    members,
  );
}

/** Ids of records in examples: the same ones wherever one record refers to another. */
export const exampleIds = {
  site: '019c139e-1000-7000-8000-0d3d0a5a0001',
  instrument: '019c139f-2c00-7000-8000-1e4e1b6b0011',
  variable: '019c139f-2c00-7000-8000-2f5f2c7c1100',
  calculated: '019c13a1-4000-7000-8000-3a6a3d8d2200',
  constant: '019c13a2-5000-7000-8000-4b7b4e9e3300',
  group: '019c13a3-6000-7000-8000-5c8c5faf4400',
  run: '019c13a4-7000-7000-8000-6d9d60c05500',
} as const;
