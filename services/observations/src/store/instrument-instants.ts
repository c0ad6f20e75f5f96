import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** The greatest instants of the series of instruments; an instrument without an observation is left out. */
export const selectInstrumentInstants = statement(
  z.object({ instrumentId: z.string(), atUs: z.number() }),
  ({ projectId, instrumentIds }: { projectId: string; instrumentIds: readonly string[] }) => sql`
    select asked.instrument_id, last.at as at_us
    from unnest(${instrumentIds}::uuid[]) as asked (instrument_id)
    cross join lateral (
      select max(series.last_at) as at
      from observations.series
      where series.instrument_id = asked.instrument_id and series.project_id = ${projectId}::uuid
    ) as last
    where last.at is not null`,
);
