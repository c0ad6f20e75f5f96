import { indexWalks } from '@weir/kit/sql';

/** Statements here join tables too: by walking along the index of each. */
export const sessionSettings = {
  ...indexWalks,
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const;
