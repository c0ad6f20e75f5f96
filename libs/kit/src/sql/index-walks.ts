/**
 * Settings of sessions whose every statement walks along an index from what it is given. Told so, the planner
 * cannot choose otherwise while tables are young, nor keep a plan that fitted a small one.
 */
export const indexWalks = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const;
