/**
 * Session settings under which the statements of this schema have one plan each, made once a
 * connection and the same whatever the arguments and however large a table has become: partitions
 * in the order of time, each by its covering index, so that a page stops where it is full. Left to
 * its estimates PostgreSQL sorts a year to answer ten rows, or plans 52 partitions for each query
 * (docs/decisions/0007-observations-are-read-by-fixed-plans.md has the numbers).
 */
export const fixedPlans = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
} as const;
