import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

interface OfProject {
  readonly projectId: string;
}

const none = z.object({});

/** The generation of a project's catalog; 1 for a project that nothing was ever done to. */
export const selectGeneration = statement(
  z.object({ generation: z.number() }),
  ({ projectId }: OfProject) => sql`
    select coalesce((select generation from variables.catalogs where project_id = ${projectId}), 1) as generation`,
);

/**
 * Makes the changes of one project's catalog wait for each other, from here to the end of the
 * transaction. The row is locked though the condition lets nothing be written.
 */
export const lockCatalog = statement(
  none,
  ({ projectId }: OfProject) => sql`
    insert into variables.catalogs (project_id) values (${projectId})
    on conflict (project_id) do update set generation = excluded.generation where false`,
);

/** Says that names of the project which were resolved before may mean something else now. */
export const updateGeneration = statement(
  none,
  ({ projectId }: OfProject) => sql`
    update variables.catalogs set generation = generation + 1 where project_id = ${projectId}`,
);

/**
 * The same, when one of the new instruments shares its name with another active one: only then can
 * a name without a site that meant that one mean something else.
 */
export const updateGenerationIfNamesShared = statement(
  none,
  ({
    projectId,
    instruments,
  }: OfProject & { readonly instruments: readonly { readonly id: string; readonly name: string }[] }) => sql`
    update variables.catalogs set generation = generation + 1
    where project_id = ${projectId} and exists (
      select 1
      from unnest(
        ${instruments.map(({ id }) => id)}::uuid[],
        ${instruments.map(({ name }) => name)}::text[]
      ) as created (id, name)
      cross join lateral (
        select 1 from variables.instruments as other
        where other.project_id = ${projectId} and other.name = created.name and other.id <> created.id
          and other.archived_at is null
        limit 1
      ) as shared
    )`,
);
