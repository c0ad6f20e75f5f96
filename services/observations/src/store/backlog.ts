import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** How many marks of dirty ranges are in each lane. */
export const selectBacklog = statement(
  z.object({ live: z.number(), recalculation: z.number(), putAside: z.number() }),
  () => sql`
    select count(*) filter (where lane = 0) as live, count(*) filter (where lane = 1) as recalculation,
      count(*) filter (where lane = 2) as put_aside
    from observations.dirty`,
);
