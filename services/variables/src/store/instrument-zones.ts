import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/**
 * The zones of the sites of instruments, in the order of the names asked; nothing where a name means no
 * instrument, one without a site, or several. What a name means is what it means in points without a
 * site: the instrument without a site, else the only one at a site.
 */
export const selectInstrumentZones = statement(
  z.object({ timezone: z.string().optional() }),
  ({ projectId, names }: { readonly projectId: string; readonly names: readonly string[] }) => sql`
    select site.timezone
    from unnest(${names}::text[]) with ordinality as asked (name, ordinal)
    left join lateral (
      select case when count(*) = 1 then min(found.site_id::text)::uuid end as site_id
      from (
        select site_id from variables.instruments
        where project_id = ${projectId} and name = asked.name and archived_at is null
        order by site_id nulls first
        limit 2
      ) as found
      having not bool_or(found.site_id is null)
    ) as instrument on true
    left join lateral (
      select timezone from variables.sites where id = instrument.site_id and project_id = ${projectId} limit 1
    ) as site on true
    order by asked.ordinal`,
);
