import { notFound } from '@weir/kit/errors';
import type { Page } from '@weir/kit/pages';
import type { Actor } from '@weir/kit/records';
import { type ConstraintErrors, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { nameTaken } from './name-taken.js';

const project = z.object({ id: z.string(), organizationId: z.string(), name: z.string(), createdAtUs: z.number() });

/** Stores a project. */
export const insertProject = statement(
  project,
  ({ id, organizationId, name, actor }: { id: string; organizationId: string; name: string; actor: Actor }) => sql`
    insert into access.projects (id, organization_id, name, created_by)
    values (${id}, ${organizationId}, ${name}, ${actor})
    returning id, organization_id, name, created_at as created_at_us`,
);

/** Projects after one, in order of creation; of all organizations when none is named. */
export const selectProjects = statement(
  project,
  ({ organizationId, after, readMax }: Page & { organizationId: string | null }) => sql`
    select id, organization_id, name, created_at as created_at_us
    from access.projects
    where (${organizationId}::uuid is null or organization_id = ${organizationId}::uuid)
      and id > ${after}
    order by id
    limit ${readMax}`,
);

/** Whether there is a project. */
export const selectProjectId = statement(
  z.object({ id: z.string() }),
  ({ id }: { id: string }) => sql`select id from access.projects where id = ${id}`,
);

/** What its constraints mean. */
export const projectErrors: ConstraintErrors = {
  projects_organization_id_fkey: () => notFound('organization'),
  projects_organization_id_name_key: () => nameTaken('project of the organization'),
};
