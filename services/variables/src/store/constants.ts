import { type Actor, nameTaken, type RecordPage } from '@weir/kit/records';
import {
  archiving,
  type ConstraintErrors,
  containsPattern,
  restoring,
  sql,
  sqlInstant,
  statement,
} from '@weir/kit/sql';
import { z } from 'zod';
import type { ConstantFields } from '../domain/constant.js';
import { recordColumns } from './record-columns.js';

interface ConstantKey {
  readonly projectId: string;
  readonly constantId: string;
}

interface Changed {
  readonly actor: Actor;
}

const none = z.object({});

const constant = z.object({
  ...recordColumns,
  instrumentId: z.string(),
  alias: z.string(),
  unit: z.string().optional(),
  values: z.array(z.object({ startTimeUs: z.number(), value: z.number() })),
});

/** Constants of the project, whether archived or not, in the order asked. */
export const selectConstants = statement(
  constant,
  ({ projectId, constantIds }: { readonly projectId: string; readonly constantIds: readonly string[] }) => sql`
    select constant.id, constant.project_id, instrument_id, constant.name, alias, unit, constant.revision,
      constant.created_at as created_at_us, constant.updated_at as updated_at_us, constant.updated_by,
      coalesce(constant.archived_at, instrument.archived_at) as archived_at_us,
      coalesce(constant.archived_by, instrument.archived_by) as archived_by,
      constant.archived_at is not null as is_archived_itself, instrument.archived_at is not null as is_parent_archived,
      (
        select json_agg(json_build_object(
          'startTimeUs', (extract(epoch from start_at) * 1000000)::bigint, 'value', value
        ) order by start_at)
        from variables.constant_values where constant_id = constant.id
      ) as values
    from unnest(${constantIds}::uuid[]) with ordinality as wanted (id, ordinal)
    cross join lateral (
      select id, project_id, instrument_id, name, alias, unit, revision,
        created_at, updated_at, updated_by, archived_at, archived_by
      from variables.constants
      where id = wanted.id and project_id = ${projectId}
      limit 1
    ) as constant
    cross join lateral (
      select archived_at, archived_by
      from variables.instruments
      where id = constant.instrument_id and project_id = constant.project_id
      limit 1
    ) as instrument
    order by ordinal`,
);

/**
 * A page of the constants of an instrument, which is one of the project and may be seen: their ids, the oldest first, and how
 * many values they have.
 */
export const selectConstantPage = statement(
  z.object({ id: z.string(), valueCount: z.number() }),
  ({
    instrumentId,
    after,
    q,
    includeArchived,
    readMax,
  }: Omit<RecordPage, 'projectId'> & { readonly instrumentId: string }) => sql`
    select id, (
        select count(*)::integer from variables.constant_values where constant_id = constants.id
      ) as value_count
    from variables.constants
    where (instrument_id, id) > (${instrumentId}, ${after})
      and (instrument_id, id) <= (${instrumentId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and revision >= 1
      and (${includeArchived} or archived_at is null)
      and (${q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by instrument_id, id
    limit ${readMax}`,
);

/** Adds a constant, without its values. */
export const insertConstant = statement(
  none,
  (created: ConstantKey & Changed & Omit<ConstantFields, 'values'> & { readonly instrumentId: string }) => sql`
    insert into variables.constants (project_id, id, instrument_id, name, alias, unit, created_by, updated_by)
    select ${created.projectId}, ${created.constantId}, ${created.instrumentId}, ${created.name}, ${created.alias},
      ${created.unit}, actor, actor
    from (select ${created.actor}::jsonb as actor) as change`,
);

/** Gives a constant these values alone; those that are the same already are left as they are. */
export const replaceConstantValues = statement(
  none,
  ({ projectId, constantId, values }: ConstantKey & Pick<ConstantFields, 'values'>) => sql`
    with wanted as (
      select start_at, value
      from unnest(
        ${values.map(({ startTimeUs }) => sqlInstant(startTimeUs))}::timestamptz[],
        ${values.map(({ value }) => value)}::double precision[]
      ) as step (start_at, value)
    ), removed as (
      delete from variables.constant_values
      where project_id = ${projectId} and constant_id = ${constantId}
        and start_at not in (select start_at from wanted)
    )
    insert into variables.constant_values as stored (project_id, constant_id, start_at, value)
    select ${projectId}, ${constantId}, start_at, value from wanted
    on conflict (constant_id, start_at) do update set value = excluded.value where stored.value <> excluded.value`,
);

/** Saves what a client may change of an active constant, but its values; the audit is told whether they change too. */
export const updateConstant = statement(
  none,
  (changed: ConstantKey & Changed & Omit<ConstantFields, 'values'> & { readonly changesValues: boolean }) => sql`
    update variables.constants
    set name = ${changed.name}, alias = ${changed.alias}, unit = ${changed.unit},
      updated_at = statement_timestamp(), updated_by = ${changed.actor}, revision = revision + 1
    where project_id = ${changed.projectId} and id = ${changed.constantId}
      and set_config('weir.changed', case when ${changed.changesValues} then 'values' else '' end, true) is not null`,
);

/** Archives an active constant. */
export const updateConstantArchived = archiving('variables.constants');

/** Makes an archived constant active again. */
export const updateConstantRestored = restoring('variables.constants');

/** What violated constraints of constants mean. */
export const constantConstraints: ConstraintErrors = {
  constants_instrument_id_name_key: () => nameTaken('/name', 'active constant of the instrument'),
};
