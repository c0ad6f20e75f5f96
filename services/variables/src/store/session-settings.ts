/**
 * Every statement here walks along indexes from what it is given. Told so, the planner cannot
 * choose otherwise while tables are young, nor keep a plan that fitted a small one.
 */
export const sessionSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
} as const;
