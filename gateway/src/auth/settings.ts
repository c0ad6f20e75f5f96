import { integer } from '@weir/kit/config';

/** Settings of the gateway's memory of keys. */
export const authSettings = {
  keyCacheMax: {
    env: 'KEY_CACHE_MAX',
    doc: 'Keys that a gateway remembers for a moment; those used least lately are forgotten first.',
    grammar: integer(1, 10_000_000),
    default: '10000',
  },
} as const;
