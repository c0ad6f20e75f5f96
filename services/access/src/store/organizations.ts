import type { Page } from '@weir/kit/pages';
import type { Actor } from '@weir/kit/records';
import { type ConstraintErrors, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { nameTaken } from './name-taken.js';

const organization = z.object({ id: z.string(), name: z.string(), createdAtUs: z.number() });

/** Stores an organization. */
export const insertOrganization = statement(
  organization,
  ({ id, name, actor }: { id: string; name: string; actor: Actor }) => sql`
    insert into access.organizations (id, name, created_by)
    values (${id}, ${name}, ${actor})
    returning id, name, created_at as created_at_us`,
);

/** Organizations after one, in order of creation. */
export const selectOrganizations = statement(
  organization,
  ({ after, readMax }: Page) => sql`
    select id, name, created_at as created_at_us
    from access.organizations
    where id > ${after}
    order by id
    limit ${readMax}`,
);

/** Whether there is an organization. */
export const selectOrganizationId = statement(
  z.object({ id: z.string() }),
  ({ id }: { id: string }) => sql`select id from access.organizations where id = ${id}`,
);

/** What its constraints mean. */
export const organizationErrors: ConstraintErrors = {
  organizations_name_key: () => nameTaken('organization'),
};
