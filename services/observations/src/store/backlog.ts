import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { markLanes } from '../domain/mark-lanes.js';

/** How many marks of dirty ranges are in each lane. */
export const selectBacklog = statement(
  z.object({ live: z.number(), recalculation: z.number(), putAside: z.number() }),
  () => sql`
    select count(*) filter (where lane = ${markLanes.live}::smallint) as live,
      count(*) filter (where lane = ${markLanes.recalculation}::smallint) as recalculation,
      count(*) filter (where lane = ${markLanes.putAside}::smallint) as put_aside
    from observations.dirty`,
);
